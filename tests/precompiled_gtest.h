// What nearly every test includes, for precompiled headers.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "../src/precompiled.h"

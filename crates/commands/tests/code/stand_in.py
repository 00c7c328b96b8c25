"""What code of Triton, TVM, NumPy, PyTorch and sympy names, for integers. `given` has the values of what a kernel asks for."""

import sys

given = {}


def floordiv(x, y):
    return x // y


def ceildiv(x, y):
    return -(-x // y)


def truncdiv(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


class tl:
    @staticmethod
    def program_id(axis):
        return given[f"tl.program_id({axis})"]

    @staticmethod
    def arange(start, end):
        return given[f"tl.arange({start}, {end})"]

    @staticmethod
    def cdiv(x, div):
        return ceildiv(x, div)

    @staticmethod
    def where(condition, x, y):
        return x if condition else y

    @staticmethod
    def minimum(x, y):
        return min(x, y)

    @staticmethod
    def maximum(x, y):
        return max(x, y)

    @staticmethod
    def clamp(x, min, max):
        return max if x > max else min if x < min else x

    @staticmethod
    def abs(x):
        return -x if x < 0 else x


class triton:
    @staticmethod
    def cdiv(x, y):
        return ceildiv(x, y)


class np:
    @staticmethod
    def clip(a, a_min, a_max):
        return min(max(a, a_min), a_max)

    @staticmethod
    def where(condition, x, y):
        return x if condition else y

    @staticmethod
    def minimum(x1, x2):
        return min(x1, x2)

    @staticmethod
    def maximum(x1, x2):
        return max(x1, x2)

    @staticmethod
    def abs(x):
        return -x if x < 0 else x

    @staticmethod
    def floor_divide(x1, x2):
        return x1 // x2

    @staticmethod
    def remainder(x1, x2):
        return x1 % x2


jnp = np


class torch:
    @staticmethod
    def clamp(input, min, max):
        return max if input > max else min if input < min else input

    @staticmethod
    def where(condition, input, other):
        return input if condition else other

    @staticmethod
    def minimum(input, other):
        return min(input, other)


class T:
    @staticmethod
    def floordiv(a, b):
        return a // b

    @staticmethod
    def floormod(a, b):
        return a % b

    @staticmethod
    def truncdiv(a, b):
        return truncdiv(a, b)

    @staticmethod
    def truncmod(a, b):
        return a - truncdiv(a, b) * b

    @staticmethod
    def ceildiv(lhs, rhs):
        return ceildiv(lhs, rhs)

    @staticmethod
    def min(a, b):
        return min(a, b)

    @staticmethod
    def max(a, b):
        return max(a, b)

    @staticmethod
    def if_then_else(cond, t, f):
        return t if cond else f


def FloorDiv(base, divisor):
    return base // divisor


def ModularIndexing(base, divisor, modulus):
    return base // divisor % modulus


def CeilDiv(base, divisor):
    return ceildiv(base, divisor)


def Mod(p, q):
    return p % q


def Min(*values):
    return min(values)


def Max(*values):
    return max(values)


cdiv = ceildiv


def run(names, lengths):
    for line in sys.stdin:
        number, count, *values = map(int, line.split())
        function, length = names[f"f{number}"], lengths[number]
        answers = []
        for at in range(count):
            try:
                results = function(values[at * length : at * length + length])
                answers.append(" ".join(str(int(result)) for result in results))
            except ArithmeticError:
                answers.append("!")
        print(";".join(answers), flush=True)

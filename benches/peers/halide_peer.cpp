// Halide's simplifier behind one line a case: "ID|NAME LO HI;..|expression in postfix" on standard input, and
// "ID|nanoseconds of CPU to build and simplify|result" on standard output.
#include <time.h>

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "Halide.h"

using Halide::Expr;
using namespace Halide::Internal;

static long long nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static Expr combine(const std::string &op, const Expr &x, const Expr &y) {
  if (op == "+") return Add::make(x, y);
  if (op == "-") return Sub::make(x, y);
  if (op == "*") return Mul::make(x, y);
  if (op == "//") return Div::make(x, y);
  if (op == "%") return Mod::make(x, y);
  return op == "min" ? Min::make(x, y) : Max::make(x, y);
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::stringstream fields(line);
    std::string id, variables, text, part;
    std::getline(fields, id, '|');
    std::getline(fields, variables, '|');
    std::getline(fields, text);
    struct Bound { std::string name; int low, high; };
    std::vector<Bound> bounds;
    std::stringstream list(variables);
    while (std::getline(list, part, ';')) {
      std::stringstream words(part);
      Bound bound;
      words >> bound.name >> bound.low >> bound.high;
      bounds.push_back(bound);
    }
    std::vector<std::string> tokens;
    std::stringstream words(text);
    while (words >> part) tokens.push_back(part);

    long long start = nanoseconds();
    std::map<std::string, Expr> named;
    Scope<Interval> scope;
    for (const Bound &bound : bounds) {
      named[bound.name] = Variable::make(Halide::Int(32), bound.name);
      scope.push(bound.name, Interval(Expr(bound.low), Expr(bound.high)));
    }
    std::vector<Expr> stack;
    for (const std::string &token : tokens) {
      auto found = named.find(token);
      if (found != named.end()) {
        stack.push_back(found->second);
      } else if (isdigit(token.back())) {
        stack.push_back(Expr(std::stoi(token)));
      } else {
        Expr y = stack.back();
        stack.pop_back();
        Expr x = stack.back();
        stack.back() = combine(token, x, y);
      }
    }
    Expr simple = simplify(stack.back(), true, scope);
    long long taken = nanoseconds() - start;
    std::ostringstream out;
    out << substitute_in_all_lets(simple);
    std::cout << id << '|' << taken << '|' << out.str() << std::endl;
  }
}

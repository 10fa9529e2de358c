#!/usr/bin/env python3
"""Writes to random addresses of a memory and asks random addresses, in turn, through `schemamem talk`; prints the share of right answers.

    scripts/talk_share.py a5v5-schemamem-endless-s42 --setting A5V5 --writes 10000
"""

import argparse
import random
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a name, a run or a file, as `schemamem talk` takes it")
    parser.add_argument("--setting", required=True, help="address and value bits, such as A5V5")
    parser.add_argument("--writes", type=int, default=10000, help="as many questions follow, one behind each (10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/schemamem")
    options = parser.parse_args()
    bits = re.fullmatch(r"A(\d+)V(\d+)", options.setting)
    if not bits:
        parser.error(f"--setting is {options.setting!r}, expected one such as A5V5")
    addresses, values = (1 << int(number) for number in bits.groups())

    drawn = random.Random(options.seed)
    held, lines, expected = {}, [], []
    for _ in range(options.writes):
        address = drawn.randrange(addresses)
        held[address] = drawn.randrange(values)
        lines.append(f"write {address} {held[address]}")
        asked = drawn.choice(list(held))
        expected.append((asked, held[asked]))
        lines.append(f"ask {asked}")
    talk = subprocess.run([options.program, "talk", options.model], input="\n".join(lines) + "\n", text=True,
                          stdout=subprocess.PIPE, check=False)
    if talk.returncode:
        sys.exit(talk.returncode)
    answers = [tuple(map(int, found)) for found in re.findall(r"^(\d+) -> (\d+)", talk.stdout, re.MULTILINE)]
    if [address for address, _ in answers] != [address for address, _ in expected]:
        sys.exit("The answers are not those to the questions.")
    right = sum(answer == wanted for answer, wanted in zip(answers, expected))
    print(f"{options.writes} writes, {len(expected)} questions: {right} right ({100 * right / len(expected):.2f} %)")


main()

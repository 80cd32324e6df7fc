"""Writes the results as Markdown: every figure beside the first peer's of its case."""

from statistics import median


class Result:
    """The rounds of one peer in one case."""

    def __init__(self, peer):
        self.peer, self.cpu, self.rate, self.median, self.slowest, self.errors, self.memory = peer, [], [], [], [], 0, []

    def add(self, figures, cpu_seconds, memory_kib):
        self.cpu.append(cpu_seconds / max(figures.requests, 1) * 1e6)
        self.rate.append(figures.requests / figures.seconds)
        self.median.append(figures.median * 1e3)
        self.slowest.append(figures.slowest * 1e3)
        self.memory.append(memory_kib / 1024)
        self.errors += figures.errors

    def row(self, first):
        cells = [self.peer]
        for name, digits in (("cpu", 1), ("rate", 0), ("median", 2), ("slowest", 2), ("memory", 1)):
            own, other = median(getattr(self, name)), median(getattr(first, name))
            ratio = f" ({own / other:.2f})" if self is not first and other else ""
            cells.append(f"{own:.{digits}f}{ratio}")
        return cells + [f"{min(self.cpu):.1f}–{max(self.cpu):.1f}", str(self.errors)]


HEADINGS = ["", "CPU per request, µs", "requests/s", "p50, ms", "p99, ms", "memory, MiB", "CPU, rounds", "errors"]


def table(headings, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join("---" if i == 0 else "--:" for i in range(len(headings))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def of_case(name, results):
    first = results[0]
    return f"### {name}\n\n" + table(HEADINGS, [result.row(first) for result in results])


def of_idle(rows):
    first = rows[0][2]
    return "### Idle connections\n\n" + table(
        ["", "memory before, MiB", "per connection, KiB"],
        [[name, f"{before / 1024:.1f}", f"{each:.1f}" + (f" ({each / first:.1f})" if each != first else "")] for name, before, each in rows],
    )

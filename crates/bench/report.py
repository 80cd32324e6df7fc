"""Writes the results as Markdown, with CPU beside that of the first peer of its case."""

from statistics import median


class Result:
    """The rounds of one peer in one case."""

    def __init__(self, peer):
        self.peer, self.cpu, self.slowest, self.errors, self.memory = peer, [], [], 0, []

    def add(self, figures, cpu_seconds, memory_kib):
        self.cpu.append(cpu_seconds / max(figures.requests, 1) * 1e6)
        self.slowest.append(figures.slowest * 1e3)
        self.memory.append(memory_kib / 1024)
        self.errors += figures.errors

    def row(self, first):
        cpu, other = median(self.cpu), median(first.cpu)
        ratio = f" ({cpu / other:.2f})" if self is not first and other else ""
        return [
            self.peer + (f", {self.errors} errors" if self.errors else ""),
            f"{cpu:.1f}{ratio}",
            f"{min(self.cpu):.1f}–{max(self.cpu):.1f}",
            f"{median(self.slowest):.2f}",
            f"{median(self.memory):.1f}",
        ]


HEADINGS = ["case", "program", "CPU per request, µs", "its rounds", "p99, ms", "memory, MiB"]


def table(headings, rows, texts=1):
    """A table whose first columns are texts and whose others are figures."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join("---" if i < texts else "--:" for i in range(len(headings))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def of_cases(measured):
    """One table of all cases, each with the results of its programs."""
    rows = []
    for case, results in measured:
        for result in results:
            rows.append([case if result is results[0] else "", *result.row(results[0])])
    return table(HEADINGS, rows, texts=2)


def of_idle(rows):
    first = rows[0][2]
    return "### Idle connections\n\n" + table(
        ["", "memory before, MiB", "per connection, KiB"],
        [[name, f"{before / 1024:.1f}", f"{each:.1f}" + (f" ({each / first:.1f})" if each != first else "")] for name, before, each in rows],
    )

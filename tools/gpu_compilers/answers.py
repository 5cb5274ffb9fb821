"""What clvk-run answers about files, and the file in which a run keeps it."""

import json


def rows_of(paths, result):
    """The rows that clvk-run printed. It has none for a file without kernels, nor for one that it refuses as a whole."""
    try:
        answer = json.loads(result.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(result.stderr.strip() or result.stdout) from None
    if isinstance(answer, list):
        return answer
    message = answer["error"]["message"]
    if answer["error"]["kind"] != "source" or len(paths) != 1:
        raise RuntimeError(message)
    if "has no kernels" in message:
        return []
    return [refused(paths[0], "", next((line for line in result.stderr.splitlines() if "error: " in line), message))]


def refused(path, kernel, reason):
    """The row of a kernel, or of a whole file, that clvk refuses."""
    return {"file": path, "kernel": kernel, "outcome": "refused", "reasons": [reason], "cost": {}}


class Kept:
    """The rows of a run on a GPU in a file, a line for each call of clvk-run, so that a run can be continued."""

    def __init__(self, path, is_continued):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not is_continued:
            path.unlink(missing_ok=True)
        self.path, self.known = path, {}
        for line in path.read_text().splitlines() if path.exists() else []:
            # The last line is incomplete if the run was ended while it was written.
            try:
                call, rows = json.loads(line)
            except json.JSONDecodeError:
                continue
            self.known[json.dumps(call)] = rows

    def rows(self, options, paths, compile):
        """The rows of these files: those that are kept, or else those that `compile` makes."""
        call = [list(options), list(paths)]
        key = json.dumps(call)
        if key not in self.known:
            self.known[key] = compile(options, paths)
            with self.path.open("a") as file:
                file.write(json.dumps([call, self.known[key]]) + "\n")
        return self.known[key]

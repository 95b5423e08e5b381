const ends: (() => Promise<void>)[] = [];

/**
 * Something that the suites of one jest worker share: made when the first of them asks for it, and kept for the next
 * ones. It ends after the last suite of the run, or with the worker.
 *
 * @param end - closes what would keep jest's own process alive, where suites run in it (`--maxWorkers=1`)
 */
export function oncePerProcess<Made>(make: () => Promise<Made>, end: (made: Made) => Promise<void>) {
  let made: Promise<Made> | undefined;
  return (): Promise<Made> => {
    if (!made) {
      const making = make();
      made = making;
      ends.push(async () => end(await making));
      exitWithJest();
    }
    return made;
  };
}

/** Ends what suites have shared in this process; a failure to make it was reported by the suites that asked. */
export async function endWhatSuitesShared(): Promise<void> {
  await Promise.allSettled(ends.splice(0).map((end) => end()));
}

let exitsWithJest = false;

/**
 * jest takes its listener away from a worker that shall end, and waits half a second for it to exit by itself. Open
 * servers and connections would keep it longer, and need no farewell: the databases are dropped with the run.
 */
function exitWithJest(): void {
  if (exitsWithJest || process.send === undefined) return;
  exitsWithJest = true;
  process.on('removeListener', (event) => {
    if (event === 'message' && process.listenerCount('message') === 0) process.exit();
  });
}

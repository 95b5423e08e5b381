/** Preloaded into a child process: terminates it gracefully when the parent process exits, for whatever reason. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep the process alive.
process.channel?.unref();

export {};

/**
 * Preloaded into a child process: terminates the child gracefully when the parent process exits, for whatever reason.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel to the parent must not keep the child process alive.
process.channel?.unref();

export {};

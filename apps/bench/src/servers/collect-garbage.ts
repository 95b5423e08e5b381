/** Loaded into a server whose memory is measured: SIGUSR2 collects garbage, so that what is left is in use. */
process.on('SIGUSR2', () => globalThis.gc?.());

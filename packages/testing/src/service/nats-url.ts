/** URL of the NATS server that the suites use. */
export const natsUrl = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222';

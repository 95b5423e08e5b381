import { JetStreamApiError, type JetStreamManager, type StreamConfig, type StreamInfo } from '@nats-io/jetstream';
import { PermissionViolationError } from '@nats-io/nats-core';
import { EventBusNotSetUpError } from './errors.js';

/** JetStream error codes. */
const CONSUMER_NOT_FOUND = 10014;
const STREAM_NAME_IN_USE = 10058;
const STREAM_NOT_FOUND = 10059;

/** Returns the result of a query, or null if the stream or the consumer does not exist. */
export async function findOrNull<Result>(query: Promise<Result>): Promise<Result | null> {
  try {
    return await query;
  } catch (error) {
    if (hasCode(error, STREAM_NOT_FOUND) || hasCode(error, CONSUMER_NOT_FOUND)) return null;
    throw error;
  }
}

/**
 * Creates a stream, or returns the stream that another process has created concurrently.
 *
 * @throws EventBusNotSetUpError if NATS denies the creation to this user
 */
export async function createStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<StreamInfo> {
  try {
    return await manager.streams.add(config);
  } catch (error) {
    if (isDenied(error)) throw new EventBusNotSetUpError(`stream ${config.name}`);
    if (hasCode(error, STREAM_NAME_IN_USE)) return manager.streams.info(config.name);
    throw error;
  }
}

/** Returns whether NATS rejected a call because the user of the connection has no permission. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && [error, error.cause].some((each) => each instanceof PermissionViolationError);
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}

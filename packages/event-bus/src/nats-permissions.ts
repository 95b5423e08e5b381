import { EVENT_APPS, type EventApp } from './event-map.js';
import { consumerNameOf, streamNameOf } from './jetstream-event-stream.js';
import { PARTITIONS } from './partition.js';
import { HEARTBEAT_SUBJECT } from './revocation-feed/revocation-stream.js';

/** First token of streams and subjects in the containers, the default of NATS_PREFIX. */
const PREFIX = 'fw';

/** The subjects on which a NATS user may publish, and to which it may subscribe. */
type NatsPermissions = Record<'publish' | 'subscribe', string[]>;

/**
 * Returns what the NATS user of an app may do: publish the app's own subjects, pull and acknowledge with the app's own
 * consumers, and read the revocations. The names of the consumers are listed one by one, because a permission cannot
 * match a part of a token.
 */
export function natsPermissionsOf(app: EventApp): NatsPermissions {
  const ownSignals = [`${PREFIX}.signals.${app}.>`, `${PREFIX}.signals.relay.${app}`];
  const revocations = [`${PREFIX}.revocations`, `${PREFIX}.signals.${HEARTBEAT_SUBJECT}`];
  const events = streamNameOf(PREFIX);
  const consumers = EVENT_APPS.flatMap((source) =>
    Array.from({ length: PARTITIONS }, (_, partition) => `${events}.${consumerNameOf(app, source, partition)}`),
  );
  return {
    publish: [
      `${PREFIX}.events.${app}.*`,
      ...ownSignals,
      // No other app may revoke access or send heartbeats of the feed.
      ...(app === 'userctx' ? revocations : []),
      '$JS.API.INFO',
      `$JS.API.STREAM.INFO.${events}`,
      `$JS.API.STREAM.INFO.${PREFIX}-revocations`,
      `$JS.API.STREAM.MSG.GET.${PREFIX}-revocations`,
      ...consumers.flatMap((consumer) => [
        `$JS.API.CONSUMER.INFO.${consumer}`,
        `$JS.API.CONSUMER.MSG.NEXT.${consumer}`,
        `$JS.ACK.${consumer}.>`,
      ]),
    ],
    subscribe: [`_INBOX_${app}.>`, ...revocations, ...ownSignals],
  };
}

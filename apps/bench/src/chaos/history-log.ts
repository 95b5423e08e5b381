import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { LogEntryWithoutTime } from '../checker/log-entries.js';
import type { SessionRecorder } from '../load/recorder.js';

/** Writes the history of a fault run as JSON lines, in the order in which the clients observe the events. */
export class HistoryLog {
  private readonly stream: WriteStream;

  constructor(readonly file: string) {
    this.stream = createWriteStream(file);
  }

  write(entry: LogEntryWithoutTime): void {
    this.stream.write(`${JSON.stringify({ time: Date.now(), ...entry })}\n`);
  }

  /** Returns a recorder for the sessions of one principal. */
  recorderFor(principal: string): SessionRecorder {
    return {
      recordSent: (_session, clientMsgId, conversationId) => {
        this.write({ kind: 'message-sent', actor: principal, clientMsgId, conversationId });
        return {
          acknowledgements: {
            push: (...acknowledgements) => {
              for (const each of acknowledgements) this.write({ kind: 'message-acknowledged', clientMsgId, ...each });
              return 0;
            },
          },
        };
      },
      openSessionHistory: (session, conversations) => {
        this.write({ kind: 'session', session, principal, conversations });
        return {
          push: (...events) => {
            for (const { type: kind, ...event } of events)
              this.write({ kind, session, ...event } as LogEntryWithoutTime);
            return 0;
          },
        };
      },
    };
  }

  async close(): Promise<void> {
    this.stream.end();
    await finished(this.stream);
  }
}

import type { History, SentMessage, SessionEvent, SessionHistory } from '../checker/history.js';

/** A list to which a session can only add items. */
type Sink<Item> = Pick<Item[], 'push'>;

/** Records what a session sends and receives. */
export interface SessionRecorder {
  recordSent(
    sender: string,
    clientMsgId: string,
    conversationId: string,
  ): { acknowledgements: Sink<SentMessage['acknowledgements'][number]> };
  openSessionHistory(session: string, conversations: string[]): Sink<SessionEvent>;
}

/** Records the messages that the clients of one run send and receive, for the checker. */
export class Recorder implements SessionRecorder {
  private readonly sent: SentMessage[] = [];
  private readonly sessions: SessionHistory[] = [];

  get history(): History {
    return { sent: this.sent, sessions: this.sessions };
  }

  /** Records a message that is sent for the first time. The caller adds the responses to the returned record. */
  recordSent(sender: string, clientMsgId: string, conversationId: string): SentMessage {
    const message = { sender, clientMsgId, conversationId, acknowledgements: [] };
    this.sent.push(message);
    return message;
  }

  /** Records a session. @returns the list of its events, to which the caller adds each event */
  openSessionHistory(session: string, conversations: string[]): SessionEvent[] {
    const events: SessionEvent[] = [];
    this.sessions.push({ session, conversations, events });
    return events;
  }
}

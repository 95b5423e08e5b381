import type { History, SentMessage, SessionEvent, SessionHistory } from '../checker/history.js';

/** Collects what the clients of one run see, for the checker. */
export class Recorder {
  private readonly sent: SentMessage[] = [];
  private readonly sessions: SessionHistory[] = [];

  get history(): History {
    return { sent: this.sent, sessions: this.sessions };
  }

  /** A message that is sent for the first time; its answers are added as they come. */
  recordSent(sender: string, clientMsgId: string, conversationId: string): SentMessage {
    const message = { sender, clientMsgId, conversationId, answers: [] };
    this.sent.push(message);
    return message;
  }

  /** The events of one reader, to be added to. */
  openSessionHistory(session: string, conversations: string[]): SessionEvent[] {
    const events: SessionEvent[] = [];
    this.sessions.push({ session, conversations, events });
    return events;
  }
}

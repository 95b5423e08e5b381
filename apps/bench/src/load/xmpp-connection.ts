import { connect, type Socket } from 'node:net';
import { XMPP_HOST, XMPP_PASSWORD } from '../servers/ejabberd.js';
import type { ServerEndpoint } from './websocket.js';

const STREAM_HEADER = `<stream:stream to='${XMPP_HOST}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`;
const ACK_REQUEST = "<r xmlns='urn:xmpp:sm:3'/>";
const ACK_PREFIX = '<a h=';
const STANZA_PATTERN =
  /<message .*?<\/message>|<presence .*?\/>|<presence .*?<\/presence>|<r xmlns=[^>]*\/>|<a h='(\d+)'[^>]*\/>/gs;
const ID_PATTERN = /\bid='([^']*)'/;

/**
 * An XMPP client over plain TCP with stream management (XEP-0198) in both directions. The server acknowledges a stanza
 * after it has processed and archived it. The client acknowledges received stanzas on request.
 */
export class XmppConnection {
  onMessage: (id: string) => void = () => undefined;
  private readonly unacknowledged: (() => void)[] = [];
  private acknowledgedCount = 0;
  private receivedCount = 0;
  private outgoing: string[] = [];
  private incompleteText = '';

  private constructor(
    private readonly socket: Socket,
    readonly jid: string,
  ) {}

  static async open(endpoint: ServerEndpoint, user: string): Promise<XmppConnection> {
    const socket = connect({ host: endpoint.host, port: endpoint.port, noDelay: true });
    socket.setEncoding('utf8');
    await new Promise((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
    const credentials = Buffer.from(`\0${user}\0${XMPP_PASSWORD}`).toString('base64');
    await sendAndAwait(socket, STREAM_HEADER, '</stream:features>');
    const auth = `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`;
    await sendAndAwait(socket, auth, '<success');
    await sendAndAwait(socket, STREAM_HEADER, '</stream:features>');
    const bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>bench</resource></bind>";
    await sendAndAwait(socket, `<iq type='set' id='bind'>${bind}</iq>`, '</iq>');
    await sendAndAwait(socket, "<enable xmlns='urn:xmpp:sm:3'/>", '<enabled');
    const connection = new XmppConnection(socket, `${user}@${XMPP_HOST}`);
    socket.on('data', (text: string) => connection.parse(text));
    await new Promise<void>((resolve) => connection.sendStanza('<presence/>', resolve));
    return connection;
  }

  send(to: string, id: string, text: string, onAcknowledged: () => void): void {
    this.sendStanza(`<message to='${to}' type='chat' id='${id}'><body>${text}</body></message>`, onAcknowledged);
  }

  close(): void {
    this.socket.destroy();
  }

  /** Writes all stanzas of one turn of the event loop together, followed by one acknowledgement request. */
  private sendStanza(stanza: string, onAcknowledged: () => void): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(stanza);
    this.unacknowledged.push(onAcknowledged);
  }

  private flush(): void {
    const stanzas = this.outgoing;
    this.outgoing = [];
    this.socket.write(stanzas.join('') + ACK_REQUEST);
  }

  private parse(text: string): void {
    const input = this.incompleteText + text;
    let end = 0;
    let isAckRequested = false;
    for (const stanza of input.matchAll(STANZA_PATTERN)) {
      end = stanza.index + stanza[0].length;
      if (stanza[0].startsWith(ACK_PREFIX)) this.onAcknowledged(Number(stanza[1]));
      else if (stanza[0].startsWith('<r ')) isAckRequested = true;
      else this.onStanza(stanza[0]);
    }
    this.incompleteText = input.slice(end);
    if (isAckRequested) this.socket.write(`<a xmlns='urn:xmpp:sm:3' h='${this.receivedCount}'/>`);
  }

  private onStanza(stanza: string): void {
    this.receivedCount += 1;
    if (stanza.startsWith('<message')) this.onMessage(ID_PATTERN.exec(stanza)?.[1] ?? '');
  }

  private onAcknowledged(handled: number): void {
    const done = this.unacknowledged.splice(0, handled - this.acknowledgedCount);
    this.acknowledgedCount = handled;
    for (const callback of done) callback();
  }
}

/** Sends `text` and waits until the server's output contains `expected`. @throws Error on a failure or stream error */
function sendAndAwait(socket: Socket, text: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const onData = (chunk: string): void => {
      output += chunk;
      if (output.includes('<failure') || output.includes('<stream:error')) reject(new Error(output));
      if (!output.includes(expected)) return;
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.once('error', reject);
    socket.write(text);
  });
}

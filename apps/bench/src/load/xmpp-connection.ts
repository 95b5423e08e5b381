import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { XMPP_HOST, XMPP_PASSWORD } from '../servers/ejabberd.js';
import type { ServerEndpoint } from './websocket.js';

const STREAM = `<stream:stream to='${XMPP_HOST}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`;
const REQUEST = "<r xmlns='urn:xmpp:sm:3'/>";
const ANSWER_BEGIN = '<a h=';
const STANZA =
  /<message .*?<\/message>|<presence .*?\/>|<presence .*?<\/presence>|<r xmlns=[^>]*\/>|<a h='(\d+)'[^>]*\/>/gs;
const ID = /\bid='([^']*)'/;

/**
 * A client of XMPP over plain TCP with stream management (XEP-0198) both ways: what it sends is acknowledged by the
 * server when it has been handled, archived included, and what it receives it acknowledges when asked.
 */
export class XmppConnection {
  onMessage: (id: string) => void = () => undefined;
  private readonly unacknowledged: (() => void)[] = [];
  private acknowledged = 0;
  private received = 0;
  private outgoing: string[] = [];
  private rest = '';

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {}

  static async open(endpoint: ServerEndpoint, user: string): Promise<XmppConnection> {
    const socket = connect({ host: endpoint.host, port: endpoint.port, noDelay: true });
    socket.setEncoding('utf8');
    await new Promise((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
    const credentials = Buffer.from(`\0${user}\0${XMPP_PASSWORD}`).toString('base64');
    await converse(socket, STREAM, '</stream:features>');
    const auth = `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`;
    await converse(socket, auth, '<success');
    await converse(socket, STREAM, '</stream:features>');
    const bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>bench</resource></bind>";
    await converse(socket, `<iq type='set' id='bind'>${bind}</iq>`, '</iq>');
    await converse(socket, "<enable xmlns='urn:xmpp:sm:3'/>", '<enabled');
    const connection = new XmppConnection(socket, `${user}@${XMPP_HOST}`);
    socket.on('data', (text: string) => connection.take(text));
    await new Promise<void>((resolve) => connection.sendStanza('<presence/>', resolve));
    return connection;
  }

  send(to: string, id: string, text: string, onAcknowledged: () => void): void {
    this.sendStanza(`<message to='${to}' type='chat' id='${id}'><body>${text}</body></message>`, onAcknowledged);
  }

  close(): void {
    this.socket.destroy();
  }

  /** What is sent in one turn leaves in one write, with one request for an acknowledgement behind it. */
  private sendStanza(stanza: string, onAcknowledged: () => void): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(stanza);
    this.unacknowledged.push(onAcknowledged);
  }

  private flush(): void {
    const stanzas = this.outgoing;
    this.outgoing = [];
    this.socket.write(stanzas.join('') + REQUEST);
  }

  private take(text: string): void {
    const whole = this.rest + text;
    let end = 0;
    let asked = false;
    for (const stanza of whole.matchAll(STANZA)) {
      end = stanza.index + stanza[0].length;
      if (stanza[0].startsWith(ANSWER_BEGIN)) this.onAcknowledged(Number(stanza[1]));
      else if (stanza[0].startsWith('<r ')) asked = true;
      else this.onStanza(stanza[0]);
    }
    this.rest = whole.slice(end);
    if (asked) this.socket.write(`<a xmlns='urn:xmpp:sm:3' h='${this.received}'/>`);
  }

  private onStanza(stanza: string): void {
    this.received += 1;
    if (stanza.startsWith('<message')) this.onMessage(ID.exec(stanza)?.[1] ?? '');
  }

  private onAcknowledged(handled: number): void {
    const done = this.unacknowledged.splice(0, handled - this.acknowledged);
    this.acknowledged = handled;
    for (const callback of done) callback();
  }
}

function converse(socket: Socket, text: string, until: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const listen = (chunk: string): void => {
      heard += chunk;
      if (heard.includes('<failure') || heard.includes('<stream:error')) reject(new Error(heard));
      if (!heard.includes(until)) return;
      socket.off('data', listen);
      resolve();
    };
    socket.on('data', listen);
    socket.once('error', reject);
    socket.write(text);
  });
}

import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { SESSION_NAMES, SESSIONS } from './conversation-model.js';
import type { Member, SessionName } from './conversation-model.js';
import { conversationsOf } from './conversations.js';
import type { GatewayNode } from './gateway-node.js';
import { anotherSession } from './gateway-test-environment.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';
import { FamilyFixture } from './family-fixture.js';
import { RestCaller } from './rest.js';

export interface ListedConversation {
  conversationId: string;
  readSeq: number;
  unread: number;
  members: { userId: string | null; cid: string | null; deliveredSeq: number; readSeq: number }[];
}

export interface HistoryItem {
  id: string;
  conversationSeq: number;
  payload: object | null;
}

/** The family group of a new family with all sessions connected, whose behaviour the test compares with the model. */
export class ConversationScenario {
  private readonly clients = new Map<SessionName, TestClient>();
  /** Sequence numbers that each session received on its earlier connections, in order of receipt. */
  private readonly earlierSeqs = new Map<SessionName, number[]>();
  /** Mailbox cursor that each session sent when it last reconnected. */
  private readonly lastCursors = new Map<SessionName, number>();
  private version = 1;

  private constructor(
    private readonly testEnvironment: GatewayTestEnvironment,
    private readonly nodes: readonly GatewayNode[],
    readonly fixture: FamilyFixture,
    readonly conversationId: string,
    private readonly principals: Record<SessionName, Principal>,
  ) {}

  static async start(
    testEnvironment: GatewayTestEnvironment,
    nodes: readonly GatewayNode[],
  ): Promise<ConversationScenario> {
    const fixture = await FamilyFixture.createIn(testEnvironment);
    const { group } = await conversationsOf(fixture);
    const principals = {
      ownerPhone: fixture.owner,
      ownerTablet: anotherSession(fixture.owner),
      guardianPhone: fixture.guardian,
      watch: fixture.watchPrincipal,
    };
    const scenario = new ConversationScenario(testEnvironment, nodes, fixture, group, principals);
    for (const session of SESSION_NAMES) await scenario.connect(session);
    return scenario;
  }

  clientOf(session: SessionName): TestClient {
    const client = this.clients.get(session);
    if (!client) throw new Error(`${session} is not connected`);
    return client;
  }

  /** Returns the member's REST client for the given node. */
  restCallerOf(member: Member, node = 0): RestCaller {
    const session = SESSION_NAMES.find((name) => SESSIONS[name].member === member) as SessionName;
    return new RestCaller(this.testEnvironment, this.nodes[node] as GatewayNode, this.principals[session]);
  }

  /** Closes the connection and reconnects to the other node with the session's cursor. */
  async reconnect(session: SessionName): Promise<void> {
    const oldClient = this.clientOf(session);
    const last = this.receivedThrough(session) ?? oldClient.hello?.head ?? 0;
    oldClient.close();
    this.earlierSeqs.set(session, this.receivedSeqsOf(session));
    this.lastCursors.set(session, last);
    await this.connect(session, last);
  }

  receivedSeqsOf(session: SessionName): number[] {
    const currentMessages = this.clientOf(session).messagesOfKind('ChatTextMessage');
    const currentSeqs = currentMessages.map(({ payload }) => (payload as { conversationSeq: number }).conversationSeq);
    return [...(this.earlierSeqs.get(session) ?? []), ...currentSeqs];
  }

  async acknowledge(session: SessionName): Promise<void> {
    const seq = this.receivedThrough(session);
    if (seq === undefined) return;
    const response = await this.clientOf(session).send('AckMessage', { seq });
    if (!response.ok) throw new Error(`${session} could not acknowledge ${seq}: ${response.reason}`);
  }

  async setGuardianMembership(isMember: boolean): Promise<void> {
    const { family, guardian } = this.fixture;
    this.version += 1;
    const members = family.members.filter(({ userId }) => isMember || userId !== guardian.id);
    await this.testEnvironment.publishFamily({ ...family, members, version: this.version });
  }

  async findListedConversation(member: Member): Promise<ListedConversation | undefined> {
    const { body } = await this.restCallerOf(member, 1).get('conversation/list');
    return (body['items'] as ListedConversation[]).find(({ conversationId }) => conversationId === this.conversationId);
  }

  async readHistory(member: Member): Promise<HistoryItem[]> {
    const { conversationId } = this;
    const { body } = await this.restCallerOf(member).get('history/get', { conversationId, limit: '200' });
    return (body['items'] as HistoryItem[]).toReversed();
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private receivedThrough(session: SessionName): number | undefined {
    const frame = this.clientOf(session).frames.findLast(({ through }) => through !== undefined);
    return frame?.through ?? this.lastCursors.get(session);
  }

  private async connect(session: SessionName, last?: number): Promise<void> {
    const { node } = SESSIONS[session];
    const target = last === undefined ? node : 1 - node;
    const cursor = last === undefined ? {} : { last };
    const client = await this.testEnvironment.connect(
      this.nodes[target] as GatewayNode,
      this.principals[session],
      cursor,
    );
    this.clients.set(session, client);
  }
}

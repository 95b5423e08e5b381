import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForConversation } from '../family-fixture.js';
import type { Parent } from '../parent.js';
import type { TestService } from '../test-service.js';
import type { Watch } from '../watch.js';

export const MESSAGE_PATH = '/apis/v2/message/';

/** Two families, one of them with connected sockets, for the tests of all message kinds. */
export class MessageKindScenario {
  private constructor(
    readonly service: TestService,
    readonly fixture: FamilyFixture,
    readonly other: FamilyFixture,
    readonly sockets: Readonly<Record<MessageParty, TestClient>>,
    /** The direct conversation of the owner and the child. */
    readonly conversationId: string,
    /** A file in the family's cloud. */
    readonly contentID: string,
  ) {}

  static async setUp(service: TestService): Promise<MessageKindScenario> {
    const [fixture, other] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    const sockets = { user: await fixture.owner.connect(), watch: await fixture.watch.connect() };
    const conversationId = await waitForConversation(fixture.watch, 'DIRECT', fixture.owner);
    const contentID = await fixture.storeFile();
    await waitUntil('the file in the gateway', async () => {
      const rows = await service.query('SELECT FROM gateway.cloud_content WHERE content_id = $1', [contentID]);
      return rows.length > 0;
    });
    return new MessageKindScenario(service, fixture, other, sockets, conversationId, contentID);
  }

  get did(): number {
    return this.fixture.watch.did;
  }

  /** Returns the REST client of a party. */
  clientOf(party: MessageParty): Parent | Watch {
    return party === 'user' ? this.fixture.owner : this.fixture.watch;
  }

  disconnectAll(): void {
    for (const fixture of [this.fixture, this.other]) fixture.disconnectAll();
  }
}

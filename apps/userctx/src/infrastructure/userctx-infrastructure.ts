import type { DynamicModule } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { EventName, NewEventOf } from '@family-watch/event-bus/event-map';
import type { StartableRevocationPublisher } from '@family-watch/event-bus/messaging';
import { Outbox } from '@family-watch/event-bus/outbox';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { ChildReadRecorder } from '@family-watch/platform/app/child-read-recorder';
import { InfrastructureModule, type AppDependencies } from '@family-watch/platform/app/infrastructure.module';

export class UserctxUnitOfWork extends UnitOfWork {}

/** Records who saw the data of children. */
export class UserctxChildReads extends ChildReadRecorder {}

/** Publishes events of userctx. Events are stored in the transaction of the change. */
export class UserctxOutbox extends Outbox<DomainEvents> {
  /** Appends an event with the id of its family as key, so that the events of a family are published in order. */
  appendForFamily<Name extends FamilyEventName>(name: Name, payload: DomainEvents[Name]): Promise<void> {
    return this.append({ name, key: payload.familyId, payload } as NewEventOf<DomainEvents>);
  }
}

type FamilyEventName = {
  [Name in EventName<DomainEvents>]: DomainEvents[Name] extends { familyId: string } ? Name : never;
}[EventName<DomainEvents>];

/** Injection token of the publisher that notifies all apps of revocations. */
export abstract class UserctxRevocationPublisher implements RevocationPublisher {
  abstract revoke(revocations: Revocation[]): Promise<void>;
}

export interface UserctxDependencies extends AppDependencies {
  /** Publishes revocations to every app. */
  revocationPublisher: StartableRevocationPublisher;
}

export function userctxInfrastructure(dependencies: UserctxDependencies): DynamicModule {
  return InfrastructureModule.forApp(
    {
      app: 'userctx',
      unitOfWork: UserctxUnitOfWork,
      outbox: UserctxOutbox,
      childReads: UserctxChildReads,
      providers: [{ provide: UserctxRevocationPublisher, useValue: dependencies.revocationPublisher }],
    },
    dependencies,
  );
}

import { Account } from '@family-watch/domain/accounts/entities/account.entity';
import { AttemptCounter } from '@family-watch/domain/accounts/entities/attempt-counter.entity';
import { RefreshToken } from '@family-watch/domain/accounts/entities/refresh-token.entity';
import { RevocationRecord } from '@family-watch/domain/accounts/entities/revocation.entity';
import { Session } from '@family-watch/domain/accounts/entities/session.entity';
import { SigningKey } from '@family-watch/domain/accounts/entities/signing-key.entity';
import { SmsChallenge } from '@family-watch/domain/accounts/entities/sms-challenge.entity';
import { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import { ContactListEntity } from '@family-watch/domain/contacts/entities/contact-list.entity';
import { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family-child.entity';
import { FamilyInvitationEntity } from '@family-watch/domain/families/entities/family-invitation.entity';
import { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import { FamilyEntity } from '@family-watch/domain/families/entities/family.entity';
import { ChildLocation } from '@family-watch/domain/locations/entities/child-location.entity';
import { BindCode } from '@family-watch/domain/watches/entities/bind-code.entity';
import { EnrolmentListEntry } from '@family-watch/domain/watches/entities/enrolment-list-entry.entity';
import { StepDay } from '@family-watch/domain/watches/entities/step-day.entity';
import { WatchBinding } from '@family-watch/domain/watches/entities/watch-binding.entity';
import { StoredWatchStatus } from '@family-watch/domain/watches/entities/watch-status.entity';
import { Watch } from '@family-watch/domain/watches/entities/watch.entity';

/** What the data source of userctx has to know. */
export const userctxEntities = [
  Account,
  AttemptCounter,
  RefreshToken,
  RevocationRecord,
  Session,
  SigningKey,
  SmsChallenge,
  ChildEntity,
  ContactListEntity,
  ContactEntity,
  FamilyChildEntity,
  FamilyInvitationEntity,
  FamilyMemberEntity,
  FamilyEntity,
  ChildLocation,
  BindCode,
  EnrolmentListEntry,
  StepDay,
  WatchBinding,
  StoredWatchStatus,
  Watch,
];

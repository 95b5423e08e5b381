import { AccountEntity } from '@family-watch/domain/accounts/entities/account.entity';
import { AttemptCounterEntity } from '@family-watch/domain/accounts/entities/attempt-counter.entity';
import { RefreshTokenEntity } from '@family-watch/domain/accounts/entities/refresh-token.entity';
import { RevocationEntity } from '@family-watch/domain/accounts/entities/revocation.entity';
import { SessionEntity } from '@family-watch/domain/accounts/entities/session.entity';
import { SigningKeyEntity } from '@family-watch/domain/accounts/entities/signing-key.entity';
import { SmsChallengeEntity } from '@family-watch/domain/accounts/entities/sms-challenge.entity';
import { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import { ContactListEntity } from '@family-watch/domain/contacts/entities/contact-list.entity';
import { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family-child.entity';
import { FamilyInvitationEntity } from '@family-watch/domain/families/entities/family-invitation.entity';
import { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import { FamilyEntity } from '@family-watch/domain/families/entities/family.entity';
import { ChildLocationEntity } from '@family-watch/domain/locations/entities/child-location.entity';
import { BindCodeEntity } from '@family-watch/domain/watches/entities/bind-code.entity';
import { EnrolmentListEntryEntity } from '@family-watch/domain/watches/entities/enrolment-list-entry.entity';
import { DailyStepsEntity } from '@family-watch/domain/watches/entities/daily-steps.entity';
import { WatchBindingEntity } from '@family-watch/domain/watches/entities/watch-binding.entity';
import { WatchStatusEntity } from '@family-watch/domain/watches/entities/watch-status.entity';
import { WatchEntity } from '@family-watch/domain/watches/entities/watch.entity';

/** Entities of the data source of userctx. */
export const userctxEntities = [
  AccountEntity,
  AttemptCounterEntity,
  RefreshTokenEntity,
  RevocationEntity,
  SessionEntity,
  SigningKeyEntity,
  SmsChallengeEntity,
  ChildEntity,
  ContactListEntity,
  ContactEntity,
  FamilyChildEntity,
  FamilyInvitationEntity,
  FamilyMemberEntity,
  FamilyEntity,
  ChildLocationEntity,
  BindCodeEntity,
  EnrolmentListEntryEntity,
  DailyStepsEntity,
  WatchBindingEntity,
  WatchStatusEntity,
  WatchEntity,
];

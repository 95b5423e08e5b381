import { AlarmClockEntity } from '@family-watch/domain/watch-settings/entities/alarm-clock.entity';
import {
  SettingsVersionEntity,
  DeviceSettingsEntity,
} from '@family-watch/domain/watch-settings/entities/device-settings.entities';
import {
  SchoolTimeEntity,
  SchoolPauseEntity,
  EarlyExitEntity,
} from '@family-watch/domain/watch-settings/entities/school-time.entities';
import {
  StrangerRuleEntity,
  AllowedNumberEntity,
  BlockedCallEntity,
} from '@family-watch/domain/watch-settings/entities/stranger-rule.entities';
import {
  SosRaiseEntity,
  SosEntity,
  SosStepEntity,
  AlertSmsEntity,
} from '@family-watch/domain/sos/entities/sos.entities';
import { ChildRulesEntity } from '@family-watch/domain/child-rules/entities/child-rules.entity';
import { ConsentEntity, ConsentChangeEntity } from '@family-watch/domain/consents/entities/consent.entities';
import { FamilyCodeEntity, JoinRequestEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { OwnershipClaimEntity } from '@family-watch/domain/families/entities/ownership-claim.entity';
import { FenceEntity, FenceMonitorEntity, FenceEventEntity } from '@family-watch/domain/fences/entities/fence.entities';
import { FriendCodeEntity, FriendshipEntity } from '@family-watch/domain/friends/entities/friendship.entities';
import {
  LocationPointEntity,
  PointCorrectionEntity,
} from '@family-watch/domain/locations/entities/location-point.entities';
import { LocationRequestEntity } from '@family-watch/domain/locations/entities/location-request.entity';
import { LocationShareEntity } from '@family-watch/domain/locations/entities/location-share.entity';
import { DailySaltEntity, RadioNetworkEntity } from '@family-watch/domain/positioning/entities/radio-network.entities';
import { RemoteCommandEntity } from '@family-watch/domain/remote-control/entities/remote-command.entity';
import { UsedNonceEntity } from '@family-watch/domain/watches/entities/used-nonce.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
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
  AlarmClockEntity,
  SettingsVersionEntity,
  DeviceSettingsEntity,
  SchoolTimeEntity,
  SchoolPauseEntity,
  EarlyExitEntity,
  StrangerRuleEntity,
  AllowedNumberEntity,
  BlockedCallEntity,
  SosRaiseEntity,
  SosEntity,
  SosStepEntity,
  AlertSmsEntity,
  ChildRulesEntity,
  ConsentEntity,
  ConsentChangeEntity,
  FamilyCodeEntity,
  JoinRequestEntity,
  OwnershipClaimEntity,
  FenceEntity,
  FenceMonitorEntity,
  FenceEventEntity,
  FriendCodeEntity,
  FriendshipEntity,
  LocationPointEntity,
  PointCorrectionEntity,
  LocationRequestEntity,
  LocationShareEntity,
  DailySaltEntity,
  RadioNetworkEntity,
  RemoteCommandEntity,
  UsedNonceEntity,
  ...eventBusEntities,
  IdempotencyKeyEntity,
];

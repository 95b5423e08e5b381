import {
  AlarmClockEntity,
  SettingsVersionEntity,
  DeviceSettingsEntity,
  SchoolTimeEntity,
  SchoolPauseEntity,
  EarlyExitEntity,
  StrangerRuleEntity,
  AllowedNumberEntity,
  BlockedCallEntity,
} from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import {
  SosRaiseEntity,
  SosEntity,
  SosStepEntity,
  AlertSmsEntity,
} from '@family-watch/domain/sos/entities/sos.entities';
import { ChildRulesEntity } from '@family-watch/domain/child-rules/entities/child-rules.entity';
import {
  ConsentEntity,
  ConsentChangeEntity,
  AccountEntity,
  AttemptCounterEntity,
  SmsChallengeEntity,
} from '@family-watch/domain/accounts/entities/account.entities';
import {
  FamilyCodeEntity,
  JoinRequestEntity,
  FamilyInvitationEntity,
} from '@family-watch/domain/families/entities/join-request.entities';
import {
  OwnershipClaimEntity,
  FamilyChildEntity,
  FamilyMemberEntity,
  FamilyEntity,
} from '@family-watch/domain/families/entities/family.entities';
import { FenceEntity, FenceMonitorEntity, FenceEventEntity } from '@family-watch/domain/fences/entities/fence.entities';
import { FriendCodeEntity, FriendshipEntity } from '@family-watch/domain/friends/entities/friendship.entities';
import {
  LocationPointEntity,
  PointCorrectionEntity,
  LocationRequestEntity,
  LocationShareEntity,
  ChildLocationEntity,
} from '@family-watch/domain/locations/entities/location.entities';
import { DailySaltEntity, RadioNetworkEntity } from '@family-watch/domain/positioning/entities/radio-network.entities';
import { RemoteCommandEntity } from '@family-watch/domain/remote-control/entities/remote-command.entity';
import {
  UsedNonceEntity,
  BindCodeEntity,
  EnrolmentListEntryEntity,
  DailyStepsEntity,
  WatchBindingEntity,
  WatchStatusEntity,
  WatchEntity,
} from '@family-watch/domain/watches/entities/watch.entities';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import {
  RefreshTokenEntity,
  RevocationEntity,
  SessionEntity,
  SigningKeyEntity,
} from '@family-watch/domain/accounts/entities/session.entities';
import { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import { ContactListEntity, ContactEntity } from '@family-watch/domain/contacts/entities/contact.entities';

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

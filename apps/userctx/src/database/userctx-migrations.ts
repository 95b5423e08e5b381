import type { MigrationInterface } from 'typeorm';
import { EventBus1790000000000 } from './0000-event-bus.migration.js';
import { Accounts1790000000010 } from './0010-accounts.migration.js';
import { Families1790000000020 } from './0020-families.migration.js';
import { Children1790000000030 } from './0030-children.migration.js';
import { Contacts1790000000040 } from './0040-contacts.migration.js';
import { Watches1790000000050 } from './0050-watches.migration.js';
import { Locations1790000000060 } from './0060-locations.migration.js';
import { WatchSettings1790000000070 } from './0070-watch-settings.migration.js';
import { Friends1790000000080 } from './0080-friends.migration.js';
import { RemoteControl1790000000090 } from './0090-remote-control.migration.js';
import { Sos1790000000100 } from './0100-sos.migration.js';
import { WatchPresence1790000000110 } from './0110-watch-presence.migration.js';
import { AlertSms1790000000120 } from './0120-alert-sms.migration.js';
import { FamilyOwnership1790000000130 } from './0130-family-ownership.migration.js';
import { FamilyApplications1790000000131 } from './0131-family-applications.migration.js';
import { ContactOrder1790000000132 } from './0132-contact-order.migration.js';
import { Fences1790000000140 } from './0140-fences.migration.js';
import { Following1790000000150 } from './0150-following.migration.js';
import { WrongPositions1790000000151 } from './0151-wrong-positions.migration.js';
import { LocationShares1790000000152 } from './0152-location-shares.migration.js';
import { Consents1790000000160 } from './0160-consents.migration.js';
import { Positioning1790000000161 } from './0161-positioning.migration.js';
import { SosEscalation1790000000170 } from './0170-sos-escalation.migration.js';
import { ChildRules1790000000180 } from './0180-child-rules.migration.js';
import { StrangerCalls1790000000185 } from './0185-stranger-calls.migration.js';
import { NewestPoints1790000000190 } from './0190-newest-points.migration.js';
import { DeadLetterRecovery1790000000210 } from './0210-dead-letter-recovery.migration.js';
import { PublishedFriendships1790000000220 } from './0220-published-friendships.migration.js';
import { NetworkContradictions1790000000230 } from './0230-network-contradictions.migration.js';
import { Payments1790000000250 } from './0250-payments.migration.js';
import { Operators1790000000260 } from './0260-operators.migration.js';
import { WatchImei1790000000261 } from './0261-watch-imei.migration.js';
import { AccountSuspension1790000000262 } from './0262-account-suspension.migration.js';
import { SmsMessages1790000000270 } from './0270-sms-messages.migration.js';
import { SignInLinks1790000000271 } from './0271-sign-in-links.migration.js';
import { Firmware1790000000280 } from './0280-firmware.migration.js';
import { AppReleases1790000000290 } from './0290-app-releases.migration.js';
import { CallingCodes1790000000291 } from './0291-calling-codes.migration.js';
import { ConsentTexts1790000000300 } from './0300-consent-texts.migration.js';
import { AccountDeletion1790000000310 } from './0310-account-deletion.migration.js';
import { SessionDevices1790000000320 } from './0320-session-devices.migration.js';
import { AccessLog1790000000321 } from './0321-access-log.migration.js';
import { DataExports1790000000322 } from './0322-data-exports.migration.js';
import { WatchPreferences1790000000324 } from './0324-watch-preferences.migration.js';
import { StepGoal1790000000330 } from './0330-step-goal.migration.js';
import { ErasurePasses1790000000340 } from './0340-erasure-passes.migration.js';
import { ExportFailures1790000000390 } from './0390-export-failures.migration.js';
import { TimeZones1790000000400 } from './0400-time-zones.migration.js';
import { WatchOfDeletedChild1790000000410 } from './0410-watch-of-deleted-child.migration.js';
import { SosLastLocation1790000000420 } from './0420-sos-last-location.migration.js';
import { LocationsWithoutFix1790000000430 } from './0430-locations-without-fix.migration.js';

/** The migrations of userctx in the order in which they run. */
export const userctxMigrations: readonly (new () => MigrationInterface)[] = [
  EventBus1790000000000,
  Accounts1790000000010,
  Families1790000000020,
  Children1790000000030,
  Contacts1790000000040,
  Watches1790000000050,
  Locations1790000000060,
  WatchSettings1790000000070,
  Friends1790000000080,
  RemoteControl1790000000090,
  Sos1790000000100,
  WatchPresence1790000000110,
  AlertSms1790000000120,
  FamilyOwnership1790000000130,
  FamilyApplications1790000000131,
  ContactOrder1790000000132,
  Fences1790000000140,
  Following1790000000150,
  WrongPositions1790000000151,
  LocationShares1790000000152,
  Consents1790000000160,
  Positioning1790000000161,
  SosEscalation1790000000170,
  ChildRules1790000000180,
  StrangerCalls1790000000185,
  NewestPoints1790000000190,
  DeadLetterRecovery1790000000210,
  PublishedFriendships1790000000220,
  NetworkContradictions1790000000230,
  Payments1790000000250,
  Operators1790000000260,
  WatchImei1790000000261,
  AccountSuspension1790000000262,
  SmsMessages1790000000270,
  SignInLinks1790000000271,
  Firmware1790000000280,
  AppReleases1790000000290,
  CallingCodes1790000000291,
  ConsentTexts1790000000300,
  AccountDeletion1790000000310,
  SessionDevices1790000000320,
  AccessLog1790000000321,
  DataExports1790000000322,
  WatchPreferences1790000000324,
  StepGoal1790000000330,
  ErasurePasses1790000000340,
  ExportFailures1790000000390,
  TimeZones1790000000400,
  WatchOfDeletedChild1790000000410,
  SosLastLocation1790000000420,
  LocationsWithoutFix1790000000430,
];

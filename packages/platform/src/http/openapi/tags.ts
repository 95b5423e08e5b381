/**
 * Groups of operations in the order in which a team needs them, with what the summaries of the operations do not say.
 * A tag without an entry fails a contract test.
 */
export const TAGS = [
  {
    name: 'Accounts',
    description:
      'A session begins with `sign-up` or `sign-in` and has an access token (10 minutes by default) and a refresh token, ' +
      'which is used once. Sensitive operations take a `stepUp`: the password or an SMS code of scene STEP_UP.',
  },
  {
    name: 'Families',
    description: 'Owner, guardians, caregivers and contacts of a family, invitations and ownership.',
  },
  {
    name: 'Children',
    description:
      'A child is the person; the watch is bound to a child. The first child creates the family. Changes need the ' +
      'permission SETTINGS.',
  },
  {
    name: 'Watch device',
    description:
      'The watch’s own operations. A watch signs with its Ed25519 key instead of a password; the guide shows the signed ' +
      'texts with a test vector.',
  },
  { name: 'Watches', description: 'The watches of a family: binding, state and settings as the phone app shows them.' },
  {
    name: 'Contacts',
    description:
      'Whom a child can reach, and requests to join a family. Changes of contacts need the permission SETTINGS.',
  },
  {
    name: 'Friends',
    description:
      'Friendships of two children, to which both families agree. Changes need the permission SETTINGS; a watch may ' +
      'only request a friendship.',
  },
  {
    name: 'Messages',
    description:
      'Conversations, the message centre and push. Messages arrive over the socket, which the message reference describes; ' +
      'these operations send and read them without a socket.',
  },
  { name: 'Video calls', description: 'The state of a call. Audio and video flow between the devices.' },
  {
    name: 'Locations',
    description:
      'Last location, tracks, visits, requests to the watch and links that share a location. Reading needs the ' +
      'permission LOCATION; requests, corrections and links are for the owner and guardians with LOCATION.',
  },
  { name: 'Positioning', description: 'Locating a watch by Wi-Fi and cell observations.' },
  {
    name: 'Fences',
    description: 'Geofences and their events. Reading needs the permission LOCATION, changes need SETTINGS.',
  },
  {
    name: 'SOS',
    description:
      'Emergency calls of a child, until a member acknowledges and resolves them. Members need the permission ALERTS.',
  },
  {
    name: 'Remote control',
    description: 'Commands to a watch, with the permission REMOTE. No command opens a microphone or a camera.',
  },
  {
    name: 'Alarm clocks',
    description:
      'Alarms that ring on the watch. Like all settings, they are versioned: the watch fetches, applies and ' +
      'acknowledges each version. Changes need the permission SETTINGS.',
  },
  {
    name: 'School time',
    description: 'Times in which the watch is restricted. SOS always works. Changes need the permission SETTINGS.',
  },
  {
    name: 'Strangers',
    description: 'Phone calls of numbers that are not contacts. Changes need the permission SETTINGS.',
  },
  {
    name: 'Device settings',
    description:
      'Location mode, lost mode, sound, screen and schedules of a watch. Changes need the permission SETTINGS.',
  },
  {
    name: 'Family cloud',
    description:
      'Files of a family. `getFileUploadURL` announces files and returns a URL for each; PUT or a tus client uploads ' +
      'the bytes, and the last byte commits the file. The owner, and guardians and caregivers with the permission CLOUD, ' +
      'read and add files and change what they have added. Owner, guardians and watches also change and delete files ' +
      'that others have added. Contacts see what is shared with them. The operations with a token in their path are the ' +
      'links that other responses contain.',
  },
  {
    name: 'Payments',
    description:
      'Orders, and what a family has paid for. For the owner and guardians; products for a child need the permission ' +
      'SETTINGS.',
  },
  { name: 'App releases', description: 'Whether an app must or can be upgraded.' },
  {
    name: 'Firmware images',
    description: 'Upload by operators and download by watches, at URLs that other responses contain.',
  },
  { name: 'SMS receipts', description: 'Callbacks of SMS providers; apps do not call them.' },
  { name: 'Operators', description: 'Accounts of operators and the audit list.' },
  { name: 'Operators: fleet', description: 'The enrolment list and the state of watches.' },
  {
    name: 'Operators: support',
    description: 'Persons and families, suspension of accounts; why messages do not arrive.',
  },
  { name: 'Operators: firmware', description: 'Images, groups and staged rollouts.' },
  { name: 'Operators: billing', description: 'What families can buy, and what they have ordered.' },
  { name: 'Operators: event bus', description: 'Events that could not be processed.' },
] as const;

/** Sections of the navigation (`x-tagGroups`, which Redoc reads). */
export const TAG_GROUPS: readonly { name: string; tags: readonly (typeof TAGS)[number]['name'][] }[] = [
  { name: 'Begin', tags: ['Accounts', 'Children', 'Watch device', 'Watches', 'Families', 'Contacts', 'Messages'] },
  {
    name: 'Safety',
    tags: [
      'Locations',
      'Positioning',
      'Fences',
      'SOS',
      'Remote control',
      'School time',
      'Strangers',
      'Device settings',
    ],
  },
  { name: 'Together', tags: ['Friends', 'Video calls', 'Alarm clocks', 'Family cloud'] },
  { name: 'Service', tags: ['Payments', 'App releases', 'Firmware images', 'SMS receipts'] },
  {
    name: 'Operators',
    tags: [
      'Operators',
      'Operators: fleet',
      'Operators: support',
      'Operators: firmware',
      'Operators: billing',
      'Operators: event bus',
    ],
  },
];

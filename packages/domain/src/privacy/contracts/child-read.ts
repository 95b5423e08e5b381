/**
 * What somebody saw of a child. LOCATION: the last location. TRACK: past locations and visits. LIVE_LOCATION: locations
 * that the gateway sent to a connected device. FENCE_EVENTS: when the child entered and left a fence. SOS: calls with
 * their locations. CHAT: messages that the child sent. MEDIA: files that the child's watch added.
 */
export const CHILD_READ_KIND = {
  LOCATION: 'LOCATION',
  TRACK: 'TRACK',
  LIVE_LOCATION: 'LIVE_LOCATION',
  FENCE_EVENTS: 'FENCE_EVENTS',
  SOS: 'SOS',
  CHAT: 'CHAT',
  MEDIA: 'MEDIA',
} as const;
export type ChildReadKind = (typeof CHILD_READ_KIND)[keyof typeof CHILD_READ_KIND];

/** Who saw it: a member of the family, or somebody with the link of a location share. */
export const VIEWER_TYPE = { USER: 'USER', SHARE_LINK: 'SHARE_LINK' } as const;
export type ViewerType = (typeof VIEWER_TYPE)[keyof typeof VIEWER_TYPE];

/** Identifies a viewer: a person by id, or a location share by id. */
export type ViewerKey = `user:${string}` | `share:${string}`;

/** A viewer saw data of this kind in this hour. */
export interface ChildRead {
  viewer: ViewerKey;
  kind: ChildReadKind;
  /** Start of the hour in UTC, Unix milliseconds. */
  hour: number;
}

interface ChildReads {
  cid: string;
  reads: ChildRead[];
}

/** Key: the child's id. An app reports a viewer and kind once an hour, or again after a restart. */
export interface ChildReadEvents {
  'userctx.child-data.read': ChildReads;
  'gateway.child-data.read': ChildReads;
  'mcdisk.child-data.read': ChildReads;
}

import type { Schema } from '@family-watch/client';

export type EmojiCode = NonNullable<Schema<'SendMessageDto'>['emoji']>;

/** The emoji codes of the service and how this page shows them. */
export const EMOJI: Readonly<Record<EmojiCode, string>> = {
  SMILE: '🙂',
  LAUGH: '😂',
  WINK: '😉',
  LOVE: '😍',
  KISS: '😘',
  COOL: '😎',
  SURPRISED: '😮',
  SAD: '🙁',
  CRY: '😢',
  ANGRY: '😠',
  SLEEPY: '😴',
  SICK: '🤒',
  THUMBS_UP: '👍',
  THUMBS_DOWN: '👎',
  CLAP: '👏',
  HUG: '🤗',
  HEART: '❤️',
  FLOWER: '🌸',
  CAKE: '🎂',
  STAR: '⭐',
  SUN: '☀️',
  MOON: '🌙',
  BALL: '⚽',
  SCHOOL: '🏫',
  HOME: '🏠',
};

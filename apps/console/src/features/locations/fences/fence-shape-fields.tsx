import {
  ActionIcon,
  Alert,
  Avatar,
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedCallback } from '@mantine/hooks';
import { TbPlus, TbTrash } from 'react-icons/tb';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Position } from '../map/coordinates.js';
import { circleAround, placeOf, positionOf } from '../map/geometry.js';
import { MapView } from '../map/map-view.js';
import { FENCE_LIMITS, type FenceValues } from './fence-values.js';

/** After this time without a change, the map shows what was typed. */
const TYPING_PAUSE_MS = 800;

type FenceForm = UseFormReturnType<FenceValues>;

/** The place and shape of a fence: drawn on the map, or typed. `near`: where the child was last. */
export function FenceShapeFields({ form, near }: { form: FenceForm; near: Position | undefined }) {
  const { t } = useTranslation('fences');
  const { kind } = form.values;
  // The map follows what is typed, but not what is drawn on it.
  const [typed, setTyped] = useState(0);
  const showTyped = useDebouncedCallback(() => setTyped((count) => count + 1), TYPING_PAUSE_MS);
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('shape')}
        data={[
          { value: 'circle', label: t('circle') },
          { value: 'polygon', label: t('polygon') },
        ]}
        {...form.getInputProps('kind')}
      />
      <Text size="sm" c="dimmed">
        {t(kind === 'circle' ? 'drawCircle' : 'drawPolygon')}
      </Text>
      <ShapeMap form={form} near={near} viewKey={String(typed)} />
      <Stack gap="sm" onInput={showTyped}>
        {kind === 'circle' ? <CircleFields form={form} near={near} onFill={showTyped} /> : <CornerFields form={form} />}
      </Stack>
    </Stack>
  );
}

function ShapeMap({ form, near, viewKey }: { form: FenceForm; near: Position | undefined; viewKey: string }) {
  const { t } = useTranslation('fences');
  const { kind, circle, polygon } = form.values;
  const { areas, lines, centre, corners } = useMemo(() => {
    const drawnCentre = kind === 'circle' ? toPosition(circle) : undefined;
    const drawnCorners = kind === 'polygon' ? polygon.points.map(toPosition) : [];
    const outline = drawnCentre
      ? circleAround(drawnCentre, Number(circle.radius) || 0)
      : drawnCorners.filter((corner) => corner !== undefined);
    return {
      centre: drawnCentre,
      corners: drawnCorners,
      areas: outline.length > 2 ? [{ id: 'shape', corners: outline, color: 'indigo' as const }] : [],
      lines: outline.length === 2 ? [{ id: 'edge', positions: outline, color: 'indigo' as const }] : [],
    };
  }, [kind, circle, polygon]);
  const drawn = [...areas.flatMap((area) => area.corners), ...corners.filter((corner) => corner !== undefined)];
  const view = drawn.length > 0 ? drawn : near ? circleAround(near, FENCE_LIMITS.radius.min * 6) : [];
  const setCentre = (position: Position) => form.setFieldValue('circle', { ...circle, ...placeOf(position) });
  const markers = centre
    ? [{ id: 'centre', label: t('centre'), position: centre, content: <Handle text="" />, onMove: setCentre }]
    : corners.flatMap((position, index) =>
        position === undefined
          ? []
          : [
              {
                id: String(index),
                label: t('corner', { number: index + 1 }),
                position,
                content: <Handle text={String(index + 1)} />,
                onMove: (moved: Position) => form.setFieldValue(`polygon.points.${index}`, placeOf(moved)),
              },
            ],
      );
  return (
    <MapView
      label={t('map')}
      height={{ base: '42dvh', md: 460 }}
      markers={markers}
      areas={areas}
      lines={lines}
      view={view}
      viewKey={viewKey}
      onClick={(position) =>
        kind === 'circle' ? setCentre(position) : form.insertListItem('polygon.points', placeOf(position))
      }
    />
  );
}

/** A point of the shape that can be dragged. */
function Handle({ text }: { text: string }) {
  return (
    <Avatar color="indigo" variant="filled" size={44} aria-hidden style={{ cursor: 'grab', opacity: 0.85 }}>
      {text === '' ? '+' : text}
    </Avatar>
  );
}

/** Returns the position of a place, or undefined while its coordinates are incomplete. */
function toPosition(place: { latitude: string; longitude: string }): Position | undefined {
  if (place.latitude.trim() === '' || place.longitude.trim() === '') return undefined;
  const [longitude, latitude] = positionOf(place);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [longitude, latitude] : undefined;
}

function CircleFields({ form, near, onFill }: { form: FenceForm; near: Position | undefined; onFill: () => void }) {
  const { t } = useTranslation('fences');
  const { circle } = form.values;
  return (
    <>
      <Group grow align="start">
        <TextInput label={t('latitude')} required inputMode="text" {...form.getInputProps('circle.latitude')} />
        <TextInput label={t('longitude')} required inputMode="text" {...form.getInputProps('circle.longitude')} />
      </Group>
      {near && (
        <Button
          variant="light"
          onClick={() => {
            form.setFieldValue('circle', { ...circle, ...placeOf(near) });
            onFill();
          }}
          style={{ alignSelf: 'start' }}
        >
          {t('useLocation')}
        </Button>
      )}
      <NumberInput
        label={t('radius')}
        required
        allowDecimal={false}
        step={50}
        clampBehavior="none"
        {...FENCE_LIMITS.radius}
        {...form.getInputProps('circle.radius')}
      />
    </>
  );
}

function CornerFields({ form }: { form: FenceForm }) {
  const { t } = useTranslation('fences');
  const { points } = form.values.polygon;
  const error = form.errors['polygon'] ?? form.errors['polygon.points'];
  return (
    <Stack gap="xs">
      {error !== undefined && (
        <Alert color="orange" variant="light" role="alert">
          {error}
        </Alert>
      )}
      {points.length < 3 && <Text c="dimmed">{t('noCorners')}</Text>}
      {points.map((_, index) => (
        <Group
          key={index}
          role="group"
          aria-label={t('corner', { number: index + 1 })}
          wrap="nowrap"
          align="start"
          gap="xs"
        >
          <Text w={20} pt={10}>
            {index + 1}
          </Text>
          <TextInput
            flex={1}
            aria-label={t('latitude')}
            placeholder={t('latitude')}
            error={form.errors[`polygon.points.${index}`]}
            {...form.getInputProps(`polygon.points.${index}.latitude`)}
          />
          <TextInput
            flex={1}
            aria-label={t('longitude')}
            placeholder={t('longitude')}
            {...form.getInputProps(`polygon.points.${index}.longitude`)}
          />
          <ActionIcon
            aria-label={t('removeCorner', { number: index + 1 })}
            onClick={() => form.removeListItem('polygon.points', index)}
          >
            <TbTrash aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="light"
        leftSection={<TbPlus aria-hidden />}
        style={{ alignSelf: 'start' }}
        onClick={() => form.insertListItem('polygon.points', { latitude: '', longitude: '' })}
      >
        {t('addCorner')}
      </Button>
    </Stack>
  );
}

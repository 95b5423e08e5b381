import { Checkbox, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { PagedList } from '../shared/paged-list.js';
import { useChange } from '../shared/use-change.js';
import { APPS, deadLettersQuery, MAX_CHANGED, type AppName, type DeadLetter } from './queries.js';

/** Events that a handler could not process, without their payload; the operator replays or drops the selected ones. */
export function DeadLetters() {
  const { t } = useTranslation('operatorEventBus');
  const [app, setApp] = useState<AppName>('userctx');
  const [handler, setHandler] = useState('');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const letters = useInfiniteQuery(deadLettersQuery(useOperator(), app, handler.trim()));
  const toggle = (id: string) =>
    setSelected((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  return (
    <Section title={t('deadLetters')}>
      <Group align="end">
        <NativeSelect
          label={t('app')}
          data={[...APPS]}
          value={app}
          onChange={({ currentTarget }) => {
            setApp(currentTarget.value as AppName);
            setSelected(new Set());
          }}
        />
        <TextInput
          label={t('handler')}
          value={handler}
          onChange={({ currentTarget }) => {
            setHandler(currentTarget.value);
            setSelected(new Set());
          }}
        />
      </Group>
      <PagedList
        label={t('deadLettersOf', { app })}
        query={letters}
        keyOf={({ deadLetterId }) => deadLetterId}
        columns={[
          {
            name: t('selection'),
            value: ({ deadLetterId }) => (
              <Checkbox
                aria-label={t('select', { id: deadLetterId })}
                label={deadLetterId}
                checked={selected.has(deadLetterId)}
                onChange={() => toggle(deadLetterId)}
              />
            ),
          },
          { name: t('handler'), value: (letter) => letter.handler },
          { name: t('event'), value: (letter) => eventOf(letter, t('bytes')) },
          { name: t('attempts'), value: ({ attempts }) => attempts },
          { name: t('since'), value: ({ deadLetteredAt }) => <DateTime time={deadLetteredAt} /> },
          { name: t('lastError'), value: ({ lastError }) => lastError ?? '–' },
        ]}
      />
      <SelectionActions key={app} app={app} selected={[...selected]} onChanged={() => setSelected(new Set())} />
    </Section>
  );
}

function eventOf({ eventName, key, rawBytes }: DeadLetter, bytes: string): string {
  return eventName === null ? `${rawBytes ?? 0} ${bytes}` : [eventName, key].filter(Boolean).join(' · ');
}

function SelectionActions({
  app,
  selected,
  onChanged,
}: {
  app: AppName;
  selected: readonly string[];
  onChanged: () => void;
}) {
  const { t } = useTranslation('operatorEventBus');
  const { client } = useOperator();
  const [outcome, setOutcome] = useState<{ changed: number; missed: number }>();
  const change = { app, deadLetterIds: [...selected] };
  const onSuccess = ({ results }: { results: readonly string[] }) => {
    const missed = results.filter((result) => result === 'NOT_FOUND').length;
    setOutcome({ changed: results.length - missed, missed });
    onChanged();
  };
  const replay = useChange(() => client.replayDeadLetters(change), onSuccess);
  const drop = useChange(() => client.dropDeadLetters(change), onSuccess);
  const isDisabled = selected.length === 0 || selected.length > MAX_CHANGED;
  const ids = selected.join(', ');
  return (
    <>
      <Group>
        <ConfirmButton
          label={t('replay', { count: selected.length })}
          title={t('replayTitle', { app, ids })}
          question={t('replayQuestion')}
          color="teal"
          variant="light"
          disabled={isDisabled}
          action={replay}
        />
        <ConfirmButton
          label={t('drop', { count: selected.length })}
          title={t('dropTitle', { app, ids })}
          question={t('dropQuestion')}
          variant="light"
          disabled={isDisabled}
          action={drop}
        />
      </Group>
      {selected.length > MAX_CHANGED && <Text c="dimmed">{t('tooMany', { count: MAX_CHANGED })}</Text>}
      {outcome && <Text role="status">{t('outcome', outcome)}</Text>}
    </>
  );
}

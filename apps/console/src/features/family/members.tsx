import { Avatar, Badge, Group, NavLink, Stack, Text } from '@mantine/core';
import { TbChevronRight } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { membersQuery, OWNER } from './queries.js';
import type { Family, Member } from './queries.js';
import { texts } from './texts.js';

/** The members of a family. The owner opens a member to change the role and the permissions. */
export function Members({ family }: { family: Family }) {
  const t = useTexts(texts);
  const { familyId } = family;
  const members = useQuery(membersQuery(useSession(), familyId));
  return (
    <Section title={t('members')}>
      <QueryView query={members}>
        {({ items }) => (
          <Stack gap={0}>
            {items.map((member) => {
              const { userId, role } = member;
              const canEdit = family.role === OWNER && role !== OWNER;
              if (!canEdit) return <MemberRow key={userId} member={member} />;
              return (
                <NavLink
                  key={userId}
                  px={0}
                  label={<MemberRow member={member} />}
                  rightSection={<TbChevronRight size={18} aria-hidden />}
                  renderRoot={(props) => (
                    <Link {...props} to="/family/$familyId/members/$userId" params={{ familyId, userId }} />
                  )}
                />
              );
            })}
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

function MemberRow({ member: { userId, name, role, joinTime } }: { member: Member }) {
  const t = useTexts(texts);
  const { userId: ownId } = useSession();
  return (
    <Group wrap="nowrap" mih={56}>
      <Avatar name={name} color="initials" aria-hidden />
      <Stack gap={0} flex={1} miw={0}>
        <Text>
          {name}
          {userId === ownId && ` (${t('you')})`}
        </Text>
        <Text size="sm" c="dimmed">
          {t('joined')} <DateTime time={joinTime} style="date" />
        </Text>
      </Stack>
      <Badge variant="light" tt="none" size="lg" flex="none">
        {t(`role${role}`)}
      </Badge>
    </Group>
  );
}

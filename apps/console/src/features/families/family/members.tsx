import { Badge, Group, NavLink, Stack, Text } from '@mantine/core';
import { TbChevronRight } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { DateTime } from '../../../ui/date-time.js';
import { QueryView } from '../../../ui/query-view.js';
import { Section } from '../../../ui/section.js';
import { Photo } from '../../accounts/photo/photo.js';
import { membersQuery, OWNER, type Family, type Member } from '../queries.js';

/** The members of a family. The owner opens a member to change the role and the permissions. */
export function Members({ family }: { family: Family }) {
  const { t } = useTranslation('family');
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
                  rightSection={<TbChevronRight size={18} className="mantine-rotate-rtl" aria-hidden />}
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

function MemberRow({ member: { userId, name, avatar, role, joinTime } }: { member: Member }) {
  const { t } = useTranslation('family');
  const { userId: ownId } = useSession();
  return (
    <Group wrap="nowrap" mih={56}>
      <Photo name={name} avatar={avatar} color="initials" />
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

import { Checkbox, Fieldset, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useTexts } from '../../app/texts.js';
import { fullAccess, ROLE_PERMISSIONS } from './permissions.js';
import type { Access, Permission, Role } from './permissions.js';
import type { FamilyChild } from './queries.js';
import { texts } from './texts.js';

/** Role and permissions of a person: for all children, and differing ones for single children. */
export function AccessFields({
  access,
  onChange,
  familyChildren,
}: {
  access: Access;
  onChange: (access: Access) => void;
  familyChildren: readonly FamilyChild[];
}) {
  const t = useTexts(texts);
  const { role, permissions, childPermissions } = access;
  const changeChild = (cid: string, granted: readonly Permission[] | undefined) => {
    const { [cid]: _previous, ...others } = childPermissions;
    onChange({ ...access, childPermissions: granted ? { ...others, [cid]: granted } : others });
  };
  return (
    <Stack>
      <Select
        label={t('role')}
        description={t(`roleHint${role}`)}
        data={([2, 3, 4] as const).map((value) => ({ value: String(value), label: t(`role${value}`) }))}
        value={String(role)}
        allowDeselect={false}
        onChange={(value) => onChange(fullAccess(Number(value) as Role))}
      />
      <PermissionBoxes
        label={t('permissions')}
        role={role}
        value={permissions}
        onChange={(granted) => onChange({ ...access, permissions: granted })}
      />
      {familyChildren.map(({ cid, name }) => {
        const own = childPermissions[cid];
        return (
          <Stack key={cid} gap="xs">
            <Switch
              label={t('differs', { name })}
              checked={own !== undefined}
              onChange={({ currentTarget }) => changeChild(cid, currentTarget.checked ? permissions : undefined)}
            />
            {own && (
              <PermissionBoxes
                label={t('permissionsTitle', { name })}
                role={role}
                value={own}
                onChange={(granted) => changeChild(cid, granted)}
              />
            )}
          </Stack>
        );
      })}
    </Stack>
  );
}

function PermissionBoxes({
  label,
  role,
  value,
  onChange,
}: {
  label: string;
  role: Role;
  value: readonly Permission[];
  onChange: (granted: Permission[]) => void;
}) {
  const t = useTexts(texts);
  const { most, always } = ROLE_PERMISSIONS[role];
  return (
    <Fieldset legend={label}>
      <Stack gap="sm">
        {most.map((permission) => {
          const isAlways = always.includes(permission);
          return (
            <Group key={permission} gap="xs">
              <Checkbox
                label={t(`permission${permission}`)}
                checked={isAlways || value.includes(permission)}
                disabled={isAlways}
                onChange={({ currentTarget }) =>
                  onChange(most.filter((each) => (each === permission ? currentTarget.checked : value.includes(each))))
                }
              />
              {isAlways && (
                <Text size="sm" c="dimmed">
                  {t('alwaysGranted')}
                </Text>
              )}
            </Group>
          );
        })}
      </Stack>
    </Fieldset>
  );
}

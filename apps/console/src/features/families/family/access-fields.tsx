import { Checkbox, Fieldset, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FamilyChild } from '../queries.js';
import { fullAccess, ROLE_PERMISSIONS, type Access, type Permission, type Role } from './permissions.js';

interface AccessFieldsProps {
  /** Undefined until a role is chosen. */
  access: Access | undefined;
  onChange: (access: Access) => void;
  familyChildren: readonly FamilyChild[];
  /** What is wrong with the choice of the role. */
  error?: string | undefined;
}

/** Role and permissions of a person: for all children, and differing ones for single children. */
export function AccessFields({ access, onChange, familyChildren, error }: AccessFieldsProps) {
  const { t } = useTranslation('family');
  return (
    <Stack>
      <Select
        label={t('role')}
        description={access && t(`roleHint${access.role}`)}
        placeholder={t('chooseRole')}
        data={([2, 3, 4] as const).map((value) => ({ value: String(value), label: t(`role${value}`) }))}
        value={access ? String(access.role) : null}
        allowDeselect={false}
        required={access === undefined}
        error={error}
        onChange={(value) => onChange(fullAccess(Number(value) as Role))}
      />
      {access && <PermissionFields access={access} onChange={onChange} familyChildren={familyChildren} />}
    </Stack>
  );
}

function PermissionFields({ access, onChange, familyChildren }: AccessFieldsProps & { access: Access }) {
  const { t } = useTranslation('family');
  const { role, permissions, childPermissions } = access;
  const changeChild = (cid: string, granted: readonly Permission[] | undefined) => {
    const { [cid]: _previous, ...others } = childPermissions;
    onChange({ ...access, childPermissions: granted ? { ...others, [cid]: granted } : others });
  };
  return (
    <>
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
    </>
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
  const { t } = useTranslation('family');
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

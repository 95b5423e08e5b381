/**
 * Returns SQL for the key of the advisory lock that serializes location intake and fence evaluation of a child.
 * @param cid - SQL expression of type text
 */
export function childLockKeySql(cid: string): string {
  return `hashtextextended('location:' || ${cid}, 0)`;
}

/**
 * The key of the lock of everything that judges a child: the intake of positions, and the fences. `cid`: SQL of type
 * text.
 */
export function childLockKeySql(cid: string): string {
  return `hashtextextended('location:' || ${cid}, 0)`;
}

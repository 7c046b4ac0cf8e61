/** Which calls a member's role allows; the server decides, the pages leave out what it would refuse. */
import type { Permission } from '#contract/desk/roles'
import { type DeskName, deskWire, isPermission } from '#contract/desk/wire'

/** Whether these permissions allow a call: every member may make one that needs none. */
export function mayCall(permissions: readonly Permission[], name: DeskName): boolean {
  const { needs } = deskWire[name]
  return !isPermission(needs) || permissions.includes(needs)
}

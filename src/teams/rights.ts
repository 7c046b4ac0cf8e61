import type { TeamRole } from '#contract/acting/roles'
import type { Caller } from '#db/call'
import { Refusal } from '#lib/refusal'

/** Only the owner gives and takes the role of an administrator. Refuses members with `role_forbids`. */
export function needOwnerFor({ member }: Caller, ...roles: TeamRole[]): void {
  if (member !== undefined && roles.includes('admin')) throw new Refusal('role_forbids')
}

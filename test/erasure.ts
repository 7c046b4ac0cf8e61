import type { StaffMember } from '#test/desk'

/** Previews the erasure of a customer and confirms what the preview showed. */
export async function eraseAsShown(
  { call }: StaffMember,
  wanted: { id: string; reason: string; write_off: boolean },
) {
  const { asked_at: askedAt, left } = await call('preview_erasure', { id: wanted.id })
  return call('erase_customer', { ...wanted, seen: { asked_at: askedAt, left } })
}

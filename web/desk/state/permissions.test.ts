import { describe, expect, it } from 'vitest'
import { may, permissions, roles } from '#contract/desk/roles'
import { type DeskName, deskWire, isPermission, mayCall as roleMayCall } from '#contract/desk/wire'
import { mayCall } from './permissions.ts'

const names = Object.keys(deskWire) as DeskName[]

describe('the calls that the pages offer a member', () => {
  it.each(roles)('%s: those that the server allows the role', (role) => {
    const own = permissions.filter((permission) => may(role, permission))
    expect(names.filter((name) => mayCall(own, name))).toEqual(
      names.filter((name) => roleMayCall(role, name)),
    )
  })

  it('without permissions are those that need none', () => {
    const open = names.filter((name) => mayCall([], name))
    expect(open.filter((name) => isPermission(deskWire[name].needs))).toEqual([])
    expect(open).toContain('session')
    expect(open).not.toContain('give_traffic')
  })
})

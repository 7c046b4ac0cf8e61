/** The list of pictures is complete: each tab of the account, each page of the site and of the desk is on it. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { privatePaths, publicPaths } from '#contract/pages'
import { tabHref, tabs } from '../../web/account/tabs.ts'
import { deskScreens } from './desk.ts'
import { allShots } from './list.ts'

const shots = allShots('ru')

it.each(tabs)('the tab %s is on it, of a new customer and of one who has bought', (tab) => {
  const of = (who: string) => shots.filter((one) => one.who === who && one.path === tabHref(tab))
  expect(of('new')).not.toEqual([])
  expect(of('buyer')).not.toEqual([])
})

it('every address of the site is on it', () => {
  // They redirect, or need the link of a letter.
  const none = ['/account', '/profile', '/confirm_email']
  const paths = new Set(shots.map((one) => one.path.replace(/\?.*/, '')))
  const wanted = [...publicPaths, ...privatePaths].filter((one) => !none.includes(one))
  expect(wanted.filter((one) => !paths.has(one))).toEqual([])
})

it('every page of the desk is on it', () => {
  // Read as text: the list itself imports the icons and the code of the pages.
  const source = readFileSync(path.join(import.meta.dirname, '../../web/desk/frame/pages.ts'), 'utf8')
  const known = Array.from(source.matchAll(/^ {4}path: '([^']+)',$/gm), ([, address = '']) => address)
  expect(known.length).toBeGreaterThan(15)
  const forms = new Set(
    deskScreens({ customer: ':id', invoice: ':number', promoCode: ':id' }).map((one) =>
      one.path.replace(/\?.*/, ''),
    ),
  )
  expect(known.filter((address) => !forms.has(address))).toEqual([])
})

it('no two pictures have one name', () => {
  const names = shots.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

/**
 * The list of pictures is complete: each tab of the account, each page of the site and of the desk is on it.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { privatePaths, publicPaths } from '#contract/pages'
import { tabHref, tabs } from '#contract/account-tabs'
import { partNames } from '#contract/desk/choices'
import { deskDialogs } from './desk/dialogs.ts'
import { ofViewers } from './desk/outside.ts'
import { readmePictures } from './readme.ts'
import { deskScreens } from './desk/screens.ts'
import { allShots } from './list.ts'

const shots = allShots('ru')
const found = { customer: ':id', invoice: ':number', promoCode: ':id', partner: ':partner' }
const onDesk = [...deskScreens(found), ...deskDialogs(found), ...ofViewers]
const web = path.join(import.meta.dirname, '../../web')
const sourceOf = (file: string) => readFileSync(path.join(web, file), 'utf8')

it.each(tabs)('the list has the tab %s, of a new customer and of one who has bought', (tab) => {
  const of = (who: string) => shots.filter((one) => one.who === who && one.path === tabHref(tab))
  expect(of('new')).not.toEqual([])
  expect(of('buyer')).not.toEqual([])
})

it('every address of the site is on the list', () => {
  // These addresses redirect, or need the link of a letter.
  const none = ['/account', '/profile', '/confirm_email']
  const paths = new Set(shots.map((one) => one.path.replace(/\?.*/, '')))
  const wanted = [...publicPaths, ...privatePaths].filter((one) => !none.includes(one))
  expect(wanted.filter((one) => !paths.has(one))).toEqual([])
})

it('every page of the desk is on the list', () => {
  // Read as text: the list itself imports the icons and the code of the pages.
  const source = sourceOf('desk/frame/pages.ts')
  const known = Array.from(source.matchAll(/^ {4}path: '([^']+)',$/gm), ([, address = '']) => address)
  expect(known.length).toBeGreaterThan(15)
  const forms = new Set(onDesk.map((one) => one.path.replace(/\?.*/, '')))
  expect(known.filter((address) => !forms.has(address))).toEqual([])
})

it('every tab of the pages of the desk is on the list', () => {
  const taken = new Set(onDesk.map((one) => /[?&]tab=(\w+)/.exec(one.path)?.[1]))
  const known = globSync('desk/pages/**/*.tsx', { cwd: web }).flatMap((file) => {
    const [, list = ''] = /^const tabs = (?:\[|\{)(.*?)(?:\]|\}) as const/ms.exec(sourceOf(file)) ?? []
    const names = list.includes(':')
      ? Array.from(list.matchAll(/(\w+):/g), ([, name = '']) => name)
      : Array.from(list.matchAll(/'(\w+)'/g), ([, name = '']) => name)
    // The first tab is the page without a tab in its address.
    return [...(list.includes('partNames') ? partNames : []), ...names].slice(1)
  })
  expect(known.length).toBeGreaterThan(25)
  expect(known.filter((tab) => !taken.has(tab))).toEqual([])
})

/** The dialogs that a file of the pages opens, each as folder and component. */
function dialogsOf(file: string): string[] {
  const parts = sourceOf(file).split(/^(?:export )?(?:default )?function (?=[A-Z])/m)
  return parts
    .filter((part) => /<(?:Act|Confirm|Form)?Dialog\b/.test(part))
    .map((part) => `${path.basename(path.dirname(file))}/${/^\w+/.exec(part)?.[0]}`)
}

it('every dialog is on the list', () => {
  const taken = new Set([...shots, ...onDesk].map(({ shows }) => shows))
  // Components that other dialogs are built from.
  const frames = ['account/ConfirmDialog', 'account/FormDialog', 'parts/ActDialog', 'payments/Payouts']
  const known = globSync('**/*.tsx', { cwd: web, exclude: ['**/*.test.tsx'] })
    .flatMap(dialogsOf)
    .filter((name) => !frames.includes(name))
  expect(known.length).toBeGreaterThan(60)
  expect(known.filter((name) => !taken.has(name))).toEqual([])
  expect([...taken].filter((name) => name !== undefined && !known.includes(name))).toEqual([])
})

it('the pictures of the README are of states on it, and the README shows each', () => {
  const names = new Set([...shots.map(({ name }) => name), ...onDesk.map(({ name }) => `desk-${name}`)])
  expect(Object.keys(readmePictures).filter((name) => !names.has(name))).toEqual([])
  const readme = readFileSync(path.join(web, '../README.md'), 'utf8')
  const shown = Array.from(readme.matchAll(/docs\/pictures\/([\w-]+\.png)/g), ([, file = '']) => file)
  expect(shown.toSorted()).toEqual(
    Object.values(readmePictures)
      .map(({ file }) => file)
      .toSorted(),
  )
})

it('no two pictures have one name', () => {
  const names = [...shots, ...onDesk.map((one) => ({ name: `desk-${one.name}` }))].map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

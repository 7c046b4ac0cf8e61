import { expect, it } from 'vitest'
import { hostOf } from './link-host.ts'

it.each([
  ['https://www.forum.example/t/1', 'forum.example'],
  ['https://forum.example/t/1', 'forum.example'],
  ['/rules', ''],
  ['mailto:a@b.c', ''],
])('the host of %s is %j', (link, host) => expect(hostOf(link)).toBe(host))

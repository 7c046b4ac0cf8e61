/** Support in the chat: to the group of the staff and back, over the fake Telegram. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BotShop, botShop } from '#test/bot'
import { plainOf } from '#test/telegram'
import type { TelegramGroup } from '#test/telegram.groups'
import { partsOf } from './support.ts'

let desk: BotShop
beforeAll(async () => {
  desk = await botShop()
})
afterAll(() => desk.close())
afterEach(() => expect(desk.telegram.errors.splice(0)).toEqual([]))

/** Makes a group of the staff and links it. */
async function staffGroup(isForum: boolean): Promise<TelegramGroup> {
  const group = desk.telegram.group({ isForum })
  await desk.shop.database.pool.query(
    `insert into alert_group (chat_id, title, is_forum, linked_at, linked_by) values ($1, 'The staff', $2, now(), 'A')
     on conflict (is_only) do update set chat_id = excluded.chat_id, is_forum = excluded.is_forum`,
    [group.id, isForum],
  )
  return group
}
const sentTo = (group: TelegramGroup) =>
  desk.telegram.calls.filter(
    ({ method, payload }) => method === 'sendMessage' && payload['chat_id'] === group.id,
  ).length
const botId = () => Number(desk.telegram.token.split(':')[0])
/** Replies to a message of the bot as a member of the group. */
const reply = (chatId: number, messageId: number, text: string | object) =>
  desk.telegram.push({
    message: {
      message_id: 5000,
      date: 1_800_000_000,
      chat: { id: chatId, type: 'supergroup', title: 'The staff' },
      from: { id: 99, is_bot: false, first_name: 'Member' },
      ...(typeof text === 'string' ? { text } : text),
      reply_to_message: {
        message_id: messageId,
        date: 1_800_000_000,
        chat: { id: chatId, type: 'supergroup', title: 'The staff' },
        from: { id: botId(), is_bot: true, first_name: 'Turnpike' },
      },
    },
  })
const lastKept = async () => {
  const { rows } = await desk.shop.database.pool.query<{ message_id: string }>(
    'select message_id from telegram_support order by at desc, message_id desc limit 1',
  )
  return Number(rows[0]?.message_id)
}

describe('support', () => {
  it('names the contact where there is no group, for payments too', async () => {
    const { person } = await desk.linked()
    person.say('/paysupport')
    expect((await person.hears(3)).text).toMatch(/Support:|bottom of the page/)
    person.say('/terms')
    expect(plainOf((await person.hears(4)).text)).toContain('https://shop.example.net/en/terms')
  })

  it('brings a message to its topic of the group, and the reply back', async () => {
    const group = await staffGroup(true)
    const { person, customer } = await desk.linked()
    person.say('/paysupport')
    expect((await person.hears(3)).text).toContain('invoice number')
    person.say('My <b>invoice</b> & I')
    expect((await person.hears(4)).text).toContain('Support has your message')
    const [heard] = await group.hears(1)
    expect(heard?.topic).toMatch(/Support|Поддержка/)
    expect(heard?.text).toContain('My <b>invoice</b> & I')
    expect(heard?.text).toContain(customer.username)
    reply(group.id, await lastKept(), 'We <look>')
    const answer = await person.hears(5)
    expect(plainOf(answer.text)).toBe('Support\n\nWe <look>')
    person.press('Write again')
    expect((await person.hears(6)).text).toContain('in one message')
  })

  it('takes replies of the linked group only, and to messages of customers only', async () => {
    const group = await staffGroup(false)
    const { person } = await desk.linked()
    person.say('/support')
    await person.hears(3)
    person.say('A question')
    await person.hears(4)
    const kept = await lastKept()
    const other = desk.telegram.group()
    reply(other.id, kept, 'from elsewhere')
    reply(group.id, kept + 1000, 'to nothing')
    reply(group.id, kept, 'the answer')
    expect(plainOf((await person.hears(5)).text)).toContain('the answer')
    expect(
      person
        .heard()
        .map(({ text }) => text)
        .join(),
    ).not.toMatch(/elsewhere|nothing/)
    await desk.shop.database.pool.query('delete from telegram_identity where telegram_user_id = $1', [
      person.id,
    ])
    const before = sentTo(group)
    reply(group.id, kept, 'too late')
    const { person: next } = await desk.linked()
    next.say('/help')
    await next.hears(3)
    expect(sentTo(group)).toBe(before)
  })

  it('notifies the staff when the customer has blocked the bot', async () => {
    const group = await staffGroup(false)
    const { person } = await desk.linked()
    person.say('/support')
    await person.hears(3)
    person.say('A question')
    await person.hears(4)
    person.block()
    reply(group.id, await lastKept(), 'the answer')
    const heard = await group.hears(2)
    expect(heard.at(-1)?.text).toMatch(/Not delivered|Не доставлено/)
    desk.telegram.errors.splice(0)
  })

  it('brings a photo with its caption to the topic, and one back in a reply', async () => {
    const group = await staffGroup(true)
    const { person, customer } = await desk.linked()
    person.say('/support')
    expect((await person.hears(3)).text).toContain('screenshot')
    const photo = person.sendPhoto({ caption: 'See <this> & that' })
    expect((await person.hears(4)).text).toContain('Support has your message')
    const [heard] = await group.hears(1)
    expect(heard).toMatchObject({ fileId: photo })
    expect(heard?.topic).toMatch(/Support|Поддержка/)
    expect(heard?.text).toContain('See <this> & that')
    expect(heard?.text).toContain(customer.username)
    const kept = await lastKept()
    reply(group.id, kept, {
      photo: [{ file_id: 'answer', file_unique_id: 'a', width: 10, height: 10 }],
      caption: 'Press <here>',
    })
    const answer = await person.hears(5)
    expect(answer.fileId).toBe('answer')
    expect(plainOf(answer.text)).toBe('Support\n\nPress <here>')
    person.press('Write again')
    await person.hears(6)
    // Without a caption, and as a file.
    const file = person.sendPhoto({ asFile: 'image/png' })
    await person.hears(7)
    expect((await group.hears(2))[1]).toMatchObject({ fileId: file })
    // A reply to a customer's photo also goes to that customer.
    reply(group.id, await lastKept(), {
      document: { file_id: 'chart', file_unique_id: 'c', mime_type: 'image/webp' },
    })
    expect(await person.hears(8)).toMatchObject({ fileId: 'chart', text: '<b>Support</b>' })
    // The topic was of the previous group; a new one is created.
    expect(desk.telegram.errors.splice(0)).toEqual(['sendPhoto: Bad Request: message thread not found'])
  })

  it('takes an album as one message, and a long caption before its picture', async () => {
    const group = await staffGroup(false)
    const { person } = await desk.linked()
    person.say('/support')
    await person.hears(3)
    const photos = [person.sendPhoto({ album: '77', caption: 'ж'.repeat(1000) })]
    await person.hears(4)
    photos.push(person.sendPhoto({ album: '77' }), person.sendPhoto({ album: '77' }))
    const heard = await group.hears(4)
    expect(heard[0]?.text).toContain('ж'.repeat(1000))
    expect(heard.slice(1).map(({ fileId }) => fileId)).toEqual(photos)
    expect(person.heard()).toHaveLength(3)
    // A picture of another album answers no question.
    person.sendPhoto({ album: '78' })
    expect((await person.hears(5)).text).toContain('/balance')
    expect(group.heard()).toHaveLength(4)
  })

  it('takes no other files, and no photo for a question that waits for a text', async () => {
    const group = await staffGroup(false)
    const { person, customer } = await desk.linked()
    person.say('/support')
    await person.hears(3)
    for (const [index, asFile] of ['application/x-msdownload', 'image/svg+xml'].entries()) {
      person.sendPhoto({ asFile })
      expect((await person.hears(4 + index)).text).toContain('send it again')
    }
    person.say('A text then')
    expect((await person.hears(6)).text).toContain('Support has your message')
    expect((await group.hears(1))[0]?.fileId).toBeUndefined()
    await desk.shop.buy(customer, { pool: 'residential', gb: 1 })
    person.pressData('wl+:residential')
    await person.hears(7)
    person.sendPhoto()
    await person.hears(8)
    person.say('8.8.4.4')
    expect((await person.hears(9)).text).toContain('Whitelist')
  })

  it('takes five messages in ten minutes, and long ones in parts', async () => {
    const group = await staffGroup(false)
    const { person } = await desk.linked()
    person.say('/support')
    await person.hears(3)
    person.say('ж'.repeat(4000))
    await person.hears(4)
    expect(await group.hears(2)).toHaveLength(2)
    for (let n = 0; n < 3; n++) {
      person.pressData('support')
      await person.hears(5 + 2 * n)
      person.say(`question ${n}`)
      await person.hears(6 + 2 * n)
    }
    person.pressData('support')
    await person.hears(11)
    person.say('one more')
    expect((await person.hears(12)).text).toContain('Please wait')
  })

  it('hears a blocked customer, who reaches nothing else', async () => {
    const group = await staffGroup(false)
    const { person } = await desk.linked()
    await desk.shop.database.pool.query(
      `update account set blocked_at = now() where id = (select account_id from telegram_identity where telegram_user_id = $1)`,
      [person.id],
    )
    person.say('/paysupport')
    expect((await person.hears(3)).text).toContain('invoice number')
    person.say('My stars')
    expect((await person.hears(4)).text).toContain('Support has your message')
    expect((await group.hears(1))[0]?.text).toContain('My stars')
    reply(group.id, await lastKept(), 'the answer')
    await person.hears(5)
    person.press('Write again')
    expect((await person.hears(6)).text).toContain('in one message')
    const photo = person.sendPhoto()
    await person.hears(7)
    expect((await group.hears(2))[1]?.fileId).toBe(photo)
    for (const [index, text] of ['/balance', '/account', '/code', 'hello'].entries()) {
      person.say(text)
      expect((await person.hears(8 + index)).text).toBe('This account is blocked. Contact support.')
    }
    person.pressData('menu')
    expect((await person.hears(12)).text).toContain('blocked')
  })

  it('names the contact to a blocked customer where there is no group', async () => {
    await desk.shop.database.pool.query('delete from alert_group')
    const { person } = await desk.linked()
    await desk.shop.database.pool.query(
      `update account set blocked_at = now() where id = (select account_id from telegram_identity where telegram_user_id = $1)`,
      [person.id],
    )
    person.say('/support')
    expect((await person.hears(3)).text).toMatch(/Support:|bottom of the page/)
  })

  it('never cuts within a character', () => {
    expect(partsOf('😀😀😀', 3)).toEqual(['😀', '😀', '😀'])
    expect(partsOf('abcdef', 4)).toEqual(['abcd', 'ef'])
  })
})

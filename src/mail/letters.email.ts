/** The letters about another e-mail address of an account. */
import { unlinkedName } from '#contract/names'
import type { Writer } from './letter.ts'
import { linkOf } from './letters.link.ts'

export const confirmNewEmail: Writer<'confirm_new_email'> = ({ username, sealed_token }, context) => {
  const { brand, to } = context
  const href = linkOf(context, '/confirm_email', 'new_email_token', sealed_token)
  const whose = username === null ? null : unlinkedName(username)
  return {
    ru: () => ({
      subject: `Подтвердите новую почту — ${brand}`,
      preview: 'Одно нажатие. Ссылка действует 48 часов.',
      heading: 'Подтвердите новую почту',
      paragraphs: [
        `Адрес ${to} указан как новая почта аккаунта${whose === null ? '' : ` ${whose}`} в ${brand}. Он начнёт действовать, когда вы его подтвердите.`,
      ],
      facts: [],
      button: { label: 'Подтвердить почту', href },
      notes: [
        'Ссылка действует 48 часов и срабатывает один раз.',
        'Если вы не меняли почту, просто удалите это письмо.',
      ],
    }),
    en: () => ({
      subject: `Confirm your new e-mail — ${brand}`,
      preview: 'One click. The link works for 48 hours.',
      heading: 'Confirm your new e-mail',
      paragraphs: [
        `The address ${to} was entered as the new e-mail of ${whose === null ? 'an account' : `the account ${whose}`} at ${brand}. It takes effect once you confirm it.`,
      ],
      facts: [],
      button: { label: 'Confirm the e-mail', href },
      notes: [
        'The link works once, within 48 hours.',
        'If you did not ask for this, simply delete this e-mail.',
      ],
    }),
  }
}

export const emailReplaced: Writer<'email_replaced'> = ({ username, sealed_token, ip }, context) => {
  const { brand } = context
  const href = linkOf(context, '/undo_email', 'undo_token', sealed_token)
  const whose = username === null ? '' : ` ${unlinkedName(username)}`
  return {
    ru: () => ({
      subject: `Почта аккаунта изменена — ${brand}`,
      preview: 'Если это были не вы, верните её по ссылке. Она действует 7 дней.',
      heading: 'Почта аккаунта изменена',
      paragraphs: [
        `У аккаунта${whose} в ${brand} теперь другая почта, её подтвердили по ссылке. На этот адрес письма больше не придут. Если почту сменили вы, ничего делать не нужно.`,
        'Если это были не вы, верните прежнюю почту: все сеансы завершатся, старый пароль и ключ API перестанут подходить, а вам придёт ссылка для нового пароля.',
      ],
      facts: ip === null ? [] : [{ label: 'Адрес, с которого подтвердили', value: ip }],
      button: { label: 'Вернуть прежнюю почту', href },
      notes: ['Ссылка действует 7 дней.'],
    }),
    en: () => ({
      subject: `The e-mail of your account was changed — ${brand}`,
      preview: 'If it was not you, restore it with the link. It works for 7 days.',
      heading: 'The e-mail of your account was changed',
      paragraphs: [
        `The account${whose} at ${brand} now has a different e-mail address, confirmed by a link. This address will get no more e-mails. If you changed it, no action is needed.`,
        'If it was not you, restore this address: all sessions will end, the old password and the API token will stop working, and you will get a link to set a new password.',
      ],
      facts: ip === null ? [] : [{ label: 'Confirmed from', value: ip }],
      button: { label: 'Restore this address', href },
      notes: ['The link works for 7 days.'],
    }),
  }
}

export const approveNewEmail: Writer<'approve_new_email'> = ({ username, sealed_token, ip }, context) => {
  const { brand } = context
  const href = linkOf(context, '/undo_email', 'answer_token', sealed_token)
  const whose = username === null ? '' : ` ${unlinkedName(username)}`
  return {
    ru: () => ({
      subject: `Подтвердите смену почты — ${brand}`,
      preview: 'В аккаунте попросили сменить почту. Если это не вы, остановите смену.',
      heading: 'Вы меняете почту?',
      paragraphs: [
        `В аккаунте${whose} в ${brand} попросили заменить эту почту на другую. Откройте страницу и подтвердите смену или остановите её.`,
        'Если это не вы, остановите смену: все сеансы завершатся, старый пароль и ключ API перестанут подходить, а вам придёт ссылка для нового пароля.',
      ],
      facts: [{ label: 'Адрес, с которого попросили', value: ip }],
      button: { label: 'Подтвердить или остановить', href },
      notes: ['Если не ответить 7 дней, а новую почту подтвердят, она начнёт действовать без вашего ответа.'],
    }),
    en: () => ({
      subject: `Confirm the change of your e-mail — ${brand}`,
      preview: 'A change of e-mail was requested in your account. If it was not you, stop it.',
      heading: 'Are you changing your e-mail?',
      paragraphs: [
        `In the account${whose} at ${brand}, a change from this e-mail to another one was requested. Open the page to confirm the change or stop it.`,
        'If it was not you, stop it: all sessions will end, the old password and the API token will stop working, and you will get a link to set a new password.',
      ],
      facts: [{ label: 'Requested from', value: ip }],
      button: { label: 'Confirm or stop it', href },
      notes: ['If you do not answer within 7 days, the new e-mail takes effect once it is confirmed.'],
    }),
  }
}

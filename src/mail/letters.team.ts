/** The invitation to a team. Of the inviter it contains the account's name only, and no text of theirs. */
import type { Language } from '#contract/language'
import { unlinkedName } from '#contract/names'
import type { TeamRole } from '#contract/acting/roles'
import type { Writer } from './letter.ts'
import { linkOf } from './letters.link.ts'

const roles: Record<Language, Record<TeamRole, string>> = {
  ru: {
    admin: 'администратор: всё, кроме закрытия аккаунта и его входа',
    billing: 'оплата: покупки, счета, автопополнение, переводы',
    proxies: 'прокси: строки, пользователи прокси, адреса и лимиты',
    viewer: 'просмотр: всё видно, кроме паролей, и ничего не меняется',
  },
  en: {
    admin: 'administrator: everything except closing the account and its sign-in',
    billing: 'billing: purchases, invoices, automatic top-up, transfers',
    proxies: 'proxies: lines, proxy users, addresses and limits',
    viewer: 'viewer: sees everything except passwords, changes nothing',
  },
}

export const teamInvitation: Writer<'team_invitation'> = ({ team, role, sealed_token }, context) => {
  const { brand, to } = context
  const href = linkOf(context, '/team_invitation', 'invitation_token', sealed_token)
  const name = unlinkedName(team)
  return {
    ru: () => ({
      subject: `Приглашение в команду — ${brand}`,
      preview: 'Ссылка действует 7 дней и один раз.',
      heading: 'Вас приглашают в команду',
      paragraphs: [
        `Аккаунт ${name} в ${brand} приглашает вас работать вместе. У вас будет свой аккаунт, свой пароль и своя роль.`,
      ],
      facts: [
        { label: 'Аккаунт', value: name },
        { label: 'Ваша роль', value: roles.ru[role] },
      ],
      button: { label: 'Посмотреть приглашение', href },
      notes: [
        `Принять его может только аккаунт, в котором подтверждена почта ${to}. Ссылка действует 7 дней и срабатывает один раз.`,
        'Если вы никого отсюда не знаете, просто удалите это письмо.',
      ],
    }),
    en: () => ({
      subject: `An invitation to a team — ${brand}`,
      preview: 'The link works once, within 7 days.',
      heading: 'You are invited to a team',
      paragraphs: [
        `The account ${name} at ${brand} invites you to work together. You will have an account, a password and a role of your own.`,
      ],
      facts: [
        { label: 'Account', value: name },
        { label: 'Your role', value: roles.en[role] },
      ],
      button: { label: 'See the invitation', href },
      notes: [
        `Only an account that has confirmed the address ${to} can accept it. The link works once, within 7 days.`,
        'If you do not know this account, simply delete this e-mail.',
      ],
    }),
  }
}

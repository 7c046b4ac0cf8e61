import { documents } from '../docs.ts'
import type { teamSchemas } from './schemas.ts'

const letterToken = 'x4mJr1bq7XkTzV0cYd2nLw8sHf6gPa3eUo9iRxKvQtB'

export const teamDocs = documents<typeof teamSchemas>()({
  get_team: {
    tag: 'Account',
    summary: { en: 'The team of the account', ru: 'Команда аккаунта' },
    about: {
      en: 'Its members with their roles, open invitations, and the last changes that members made. Only the owner and administrators see it.',
      ru: 'Участники с ролями, открытые приглашения и последние изменения, сделанные участниками. Видят владелец и администраторы.',
    },
    input: {},
    output: {
      members: [
        {
          account: '812',
          name: 'anna.ops',
          email: 'anna@example.com',
          role: 'proxies',
          joined_at: '2026-11-02T09:00:00.000Z',
        },
      ],
      invitations: [
        {
          id: '4',
          email: 'books@example.com',
          role: 'billing',
          sent_at: '2026-11-20T12:00:00.000Z',
          expires_at: '2026-11-27T12:00:00.000Z',
        },
      ],
      acts: [
        {
          at: '2026-11-21T08:30:00.000Z',
          by: 'anna@example.com',
          call: 'reset_password',
          what: 'Replace a proxy password',
        },
      ],
      most: 20,
      manages_admins: true,
    },
    refuses: ['role_forbids', 'other_account', 'team_closed'],
  },
  invite_member: {
    tag: 'Account',
    summary: { en: 'Invite a person to the team', ru: 'Пригласить в команду' },
    about: {
      en: 'Sends a letter with a link that works once, for seven days, for an account that has confirmed this address. Only the owner invites administrators. Needs a proof of the owner, of a member: of the member, within the last ten minutes.',
      ru: 'Отправляет письмо со ссылкой: она действует семь дней, один раз и только для аккаунта, в котором подтверждён этот адрес. Администраторов приглашает только владелец. Нужно подтверждение владельца (от участника — его собственное) за последние десять минут.',
    },
    input: { email: 'anna@example.com', role: 'proxies' },
    output: true,
    refuses: [
      'proof_needed',
      'role_forbids',
      'invalid_email',
      'invitation_of_owner',
      'member_exists',
      'team_full',
      'team_needs_email',
      'too_many_attempts',
    ],
  },
  resend_invitation: {
    tag: 'Account',
    summary: { en: 'Send an invitation again', ru: 'Отправить приглашение ещё раз' },
    about: {
      en: 'Sends a new link for seven days; the link of the earlier letter no longer works.',
      ru: 'Отправляет новую ссылку на семь дней; ссылка из прежнего письма больше не действует.',
    },
    input: { id: '4' },
    output: true,
    refuses: ['role_forbids', 'invitation_not_found', 'too_many_attempts'],
  },
  revoke_invitation: {
    tag: 'Account',
    summary: { en: 'Revoke an invitation', ru: 'Отозвать приглашение' },
    about: {
      en: 'The link of its letter no longer works.',
      ru: 'Ссылка из письма больше не действует.',
    },
    input: { id: '4' },
    output: true,
    refuses: ['role_forbids', 'invitation_not_found'],
  },
  change_member: {
    tag: 'Account',
    summary: { en: 'Change the role of a member', ru: 'Изменить роль участника' },
    about: {
      en: 'Applies to the next call of every session of the member. Only the owner makes administrators and changes them.',
      ru: 'Действует со следующего вызова во всех сеансах участника. Назначает и меняет администраторов только владелец.',
    },
    input: { account: '812', role: 'viewer' },
    output: true,
    refuses: ['proof_needed', 'role_forbids', 'member_not_found', 'too_many_attempts'],
  },
  remove_member: {
    tag: 'Account',
    summary: { en: 'Remove a member from the team', ru: 'Убрать участника из команды' },
    about: {
      en: 'Ends their access in all their sessions at once. Proxy passwords and links that they have seen stay valid until you replace them.',
      ru: 'Сразу прекращает доступ во всех его сеансах. Пароли прокси и ссылки, которые он видел, действуют, пока вы их не смените.',
    },
    input: { account: '812' },
    output: true,
    refuses: ['role_forbids', 'member_not_found'],
  },
  invitation: {
    tag: 'Account',
    summary: { en: 'What an invitation offers', ru: 'Что предлагает приглашение' },
    about: {
      en: 'The team, the address and the role of an invitation, by the token of its letter.',
      ru: 'Команда, адрес и роль приглашения по токену из письма.',
    },
    input: { invitation_token: letterToken },
    output: {
      team: 'nightshift',
      email: 'anna@example.com',
      role: 'proxies',
      expires_at: '2026-11-27T12:00:00.000Z',
    },
    refuses: ['invitation_invalid'],
  },
  accept_invitation: {
    tag: 'Account',
    summary: { en: 'Accept an invitation', ru: 'Принять приглашение' },
    about: {
      en: 'Makes your own account a member of the team; it must have confirmed the address to which the letter was sent. Answers with the number of the team’s account.',
      ru: 'Делает ваш собственный аккаунт участником команды; в нём должен быть подтверждён адрес, на который пришло письмо. В ответе — номер аккаунта команды.',
    },
    input: { invitation_token: letterToken },
    output: { account: '17' },
    refuses: ['invitation_invalid', 'invitation_other_email', 'team_closed', 'too_many_attempts'],
  },
  my_teams: {
    tag: 'Account',
    summary: { en: 'Your teams', ru: 'Ваши команды' },
    about: {
      en: 'The accounts on which you may act, and the one on which this session acts.',
      ru: 'Аккаунты, в которых вы можете работать, и тот, в котором работает этот сеанс.',
    },
    input: {},
    output: {
      own: { account: '812', name: 'anna.ops' },
      acts_on: '17',
      teams: [
        {
          account: '17',
          name: 'nightshift',
          role: 'proxies',
          joined_at: '2026-11-02T09:00:00.000Z',
          open: true,
        },
      ],
    },
    refuses: [],
  },
  act_on_account: {
    tag: 'Account',
    summary: { en: 'Choose the account to work in', ru: 'Выбрать аккаунт для работы' },
    about: {
      en: 'Stored with the session: from now on its calls are about this account, your own or that of a team. They must name it in the header `x-account`; a page that shows another one is refused with `other_account`.',
      ru: 'Хранится вместе с сеансом: дальше его вызовы относятся к этому аккаунту, своему или командному. Они должны назвать его в заголовке `x-account`; странице, которая показывает другой, отвечает отказ `other_account`.',
    },
    input: { account: '17' },
    output: true,
    refuses: ['not_a_member', 'team_closed'],
  },
  leave_team: {
    tag: 'Account',
    summary: { en: 'Leave a team', ru: 'Выйти из команды' },
    about: {
      en: 'Your sessions that act on the team’s account return to your own.',
      ru: 'Сеансы, работающие в аккаунте команды, возвращаются в ваш.',
    },
    input: { account: '17' },
    output: true,
    refuses: ['not_a_member'],
  },
})

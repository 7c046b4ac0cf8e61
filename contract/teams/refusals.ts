/** The refusals of teams. */
export const teamRefusals = {
  role_forbids: {
    status: 403,
    ru: 'Ваша роль в этой команде не даёт этого делать. Попросите владельца или администратора.',
    en: 'Your role in this team does not allow this. Ask the owner or an administrator.',
  },
  other_account: {
    status: 409,
    ru: 'Страница показывает не тот аккаунт, в котором вы сейчас работаете. Обновите страницу: ничего не изменено.',
    en: 'This page shows another account than the one you work in now. Reload the page: nothing was changed.',
  },
  team_closed: {
    status: 403,
    ru: 'Аккаунт этой команды закрыт или заблокирован. Вернитесь в свой аккаунт.',
    en: 'The account of this team is closed or blocked. Return to your own account.',
  },
  not_a_member: {
    status: 404,
    ru: 'В этой команде вас нет: вас убрали или команда удалена.',
    en: 'You are not in this team: you were removed, or the team is gone.',
  },
  member_not_found: {
    status: 404,
    ru: 'Такого участника в команде нет.',
    en: 'The team has no such member.',
  },
  member_exists: {
    status: 409,
    ru: 'Этот человек уже в команде.',
    en: 'This person is in the team already.',
  },
  invitation_of_owner: {
    status: 409,
    ru: 'Это почта владельца аккаунта. Укажите адрес того, кого приглашаете.',
    en: 'This is the address of the account’s owner. Enter the address of the person you invite.',
  },
  invitation_not_found: {
    status: 404,
    ru: 'Этого приглашения уже нет: его приняли или отозвали.',
    en: 'This invitation is gone: it was accepted or revoked.',
  },
  invitation_invalid: {
    status: 422,
    ru: 'Приглашение уже использовано, отозвано или устарело. Попросите прислать новое.',
    en: 'This invitation has been used, revoked or has expired. Ask for a new one.',
  },
  invitation_other_email: {
    status: 403,
    ru: 'Приглашение отправлено на другой адрес. Войдите в аккаунт, в котором подтверждена именно эта почта.',
    en: 'This invitation was sent to another address. Sign in to the account that has confirmed that address.',
  },
  team_full: {
    status: 409,
    ru: 'В команде вместе с приглашениями может быть не больше {most} человек.',
    en: 'A team may have at most {most} people, open invitations included.',
  },
  team_needs_email: {
    status: 403,
    ru: 'Сначала подтвердите почту аккаунта: на неё приходят письма о команде.',
    en: 'Confirm the e-mail address of the account first: letters about the team go to it.',
  },
} as const

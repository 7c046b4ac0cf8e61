/** The pictures of the README: which state each shows, in English, light, in the window of a desktop. */
export const readmePictures: Readonly<Record<string, string>> = {
  home: 'home.png',
  'account-main-busy': 'account.png',
  'account-requests-busy': 'requests.png',
  'account-request-refused': 'request.png',
  'account-panel': 'generator.png',
  'account-palette-command': 'palette.png',
  'account-proxyUsers': 'users.png',
  'account-factor-set-up': 'two-factor.png',
  'desk-today': 'desk.png',
}

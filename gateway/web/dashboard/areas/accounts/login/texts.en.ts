// Texts of the views without a session.
export const en = {
  signIn: 'Sign in',
  signInHelp: 'New here?',
  email: 'E-mail address',
  password: 'Password',
  showPassword: 'Show the password',
  forgot: 'Forgot your password?',
  codeTitle: 'Second step',
  code: 'Code',
  codeHelp: 'The six digits that your authenticator app shows now.',
  recoveryCode: 'Recovery code',
  recoveryHelp:
    'One of the ten codes that you kept when you set up the second step. Each works once.',
  passkeyHelp:
    'Confirm with your fingerprint, your face, the PIN of your device or your security key.',
  useFactor: {
    passkey: 'Use a passkey',
    app: 'Use the authenticator app',
    recovery: 'Use a recovery code',
  },
  back: 'Back',
  wrongTitle: 'Sign-in failed',
  wrong: 'The e-mail address or the password is wrong.',
  wrongCode: 'This code is wrong or was already used. Wait for the next one, then try again.',
  wrongRecovery: 'This recovery code is wrong or was already used.',
  codeMissing: 'Enter the code.',
  lockedTitle: 'Too many attempts',
  locked: (minutes: number) =>
    `For your safety, sign-in is paused. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, or choose a new password.`,
  register: 'Create an account',
  registerHelp: 'Already registered?',
  registerNote: 'TEST works at once. Real payments start after your business is verified.',
  businessName: 'Name of your business',
  businessHelp: 'Customers see it when they pay. You can change it later.',
  passwordIsEmail: 'Choose another password than your e-mail address.',
  emailInvalid: 'Enter an e-mail address such as owner@toko.example.',
  nameMissing: 'Enter the name of your business.',
  checkMail: 'Check your mail',
  made: 'Your account is made',
  registered: (email: string) =>
    `We sent a link to ${email}. Open it, and enter your password, to confirm that the address is yours.`,
  registeredHelp:
    'No mail after a few minutes? Look in the spam folder, and check the address above. If the mail says that you are registered already, sign in with your former password.',
  goOn: 'Go to the dashboard',
  reset: 'Choose a new password',
  resetHelp: 'We mail you a link to choose a new password. It works for one hour.',
  sendLink: 'Ask for the link',
  resetSent: (email: string) =>
    `If ${email} belongs to an account, a link is on its way. It works for one hour.`,
  toSignIn: 'Back to sign-in',
} as const;

/** The setup guide. Without a new token it shows a placeholder. */
export const guideOf = (site: string, token = 'TOKEN') => `## UnrealGameSync.ini

Add these lines to the project's \`Build/UnrealGameSync.ini\`, or to \`Engine/Programs/UnrealGameSync/UnrealGameSync.ini\` for all projects of the stream. Submit the file. Clients read it with their next sync:

\`\`\`ini
[Default]
ApiUrl=${site}/ugs/${token}
\`\`\`

Clients that use a user name and password can use \`${site}/ugs\` with any user name and the token as password.

Builds that report a changelist and a stream to this project become badges automatically, named after their job. The next sections are for badges that your CI posts itself.

## PostBadgeStatus

\`-Project\` is the folder of the \`.uproject\`, or the stream for all projects in it:

\`\`\`bat
PostBadgeStatus.exe -Name=Editor -Change=12345 -Project=//depot/stream/Game -Status=Success -Url=https://ci.example.com/1 ^
  -RestUrl=${site}/ugs/${token}
\`\`\`

## Jenkins

The plugin *unreal-game-sync-badges* prints the URL it posts to. To keep the token out of the log, create a **Secret text** credential with the ID \`goldmaster-ugs\` and this value:

\`\`\`
ci:${token}
\`\`\`

\`\`\`groovy
postUGSBadge apiUrl: '${site}/ugs', credentialId: 'goldmaster-ugs', project: '//depot/stream/Game',
  changelist: env.P4_CHANGELIST.toInteger(), name: 'Editor', result: 'SUCCESS', url: env.BUILD_URL
\`\`\`

## TeamCity

The plugin *ugs-status-publisher* is a **Commit status publisher**. Enter the token as its password, as a secure value:

\`\`\`kotlin
commitStatusPublisher {
    param("publisherId", "ugs")
    param("ugsServerUrl", "${site}/ugs")
    param("ugsAuthUser", "ci")
    param("secure:ugsAuthPassword", "${token}")
    param("ugsProject", "//depot/stream/Game")
    param("ugsBadgeName", "Editor")
}
\`\`\`

## Many clients behind one IP address

Every client polls twice a minute, and each IP address may send 300 requests in five minutes by default. If many clients share one IP address, the operator must raise \`LIMIT_REQUESTS_PER_IP\` by 30 for each client: \`30000/5m\` for a thousand clients. The limit per token, \`LIMIT_UGS\`, is high enough.
`

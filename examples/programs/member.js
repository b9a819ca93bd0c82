// A member expression. Corrected: the article shows the node alone; here a program awaits it.

async function main() {
    /**
     * @example Outputs
     * user
     * user.name
     * user.email
     */
    await membersOf`user`(
        property`name`,
        property`email`
    )
}

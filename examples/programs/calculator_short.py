"""The same calculator, said shorter."""

from decoder.program import call_of, id_, many_of, num, return_of, start, variable

var_for = variable(id_())


async def main():
    await many_of(var_for(num()), *(var_for(call_of(name)(num(), num())) for name in ("add", "sub", "mul", "div")))
    await return_of(num())


start(main)
